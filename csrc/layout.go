//go:build cgo && !purego && (amd64 || arm64)

package csrc

/*
#include "program.h"
#include <stddef.h>

#define SIZE(type) type##_size = sizeof(s1_##type)
#define AT(type, field) type##_##field = offsetof(s1_##type, field)
// END is where an array ends. It is for arrays that padding follows: if such an array had another
// length in C than in Go, the offsets of the fields behind it could agree nevertheless.
#define END(type, field) type##_##field##_end = offsetof(s1_##type, field) + sizeof ((s1_##type *)0)->field
enum {
	SIZE(dim), AT(dim, extent), AT(dim, src), AT(dim, dst),
	SIZE(prefetch), AT(prefetch, distance), AT(prefetch, reach), AT(prefetch, begin),
	AT(prefetch, length), AT(prefetch, near),
	SIZE(tiles), AT(tiles, across), AT(tiles, band), AT(tiles, block), AT(tiles, fold), AT(tiles, join),
	SIZE(vector), AT(vector, windows), AT(vector, at), AT(vector, pick), AT(vector, perm),
	SIZE(tail), AT(tail, src), AT(tail, dst), AT(tail, vector),
	SIZE(windows), AT(windows, count), AT(windows, step), AT(windows, advance), AT(windows, period), AT(windows, tails), AT(windows, tail_lanes), AT(windows, main),
	AT(windows, tail),
	SIZE(masks), AT(masks, count), AT(masks, step), AT(masks, advance), AT(masks, period), AT(masks, tails), AT(masks, windows), AT(masks, at), END(masks, at), AT(masks, take),
	AT(masks, store), AT(masks, last_src), AT(masks, last_dst), AT(masks, index),
	SIZE(units), AT(units, count), AT(units, unit), AT(units, each), AT(units, element), AT(units, at),
	AT(units, alone), END(units, alone),
	SIZE(masked_units), AT(masked_units, whole), AT(masked_units, tails), AT(masked_units, unit),
	AT(masked_units, windows), AT(masked_units, window_at), END(masked_units, window_at), AT(masked_units, take),
	AT(masked_units, store), AT(masked_units, index), AT(masked_units, at),
	SIZE(program), AT(program, set), AT(program, loop), AT(program, kind), AT(program, width),
	AT(program, src), AT(program, dst), AT(program, row), AT(program, outer), AT(program, nt),
	AT(program, innermost), AT(program, next), AT(program, dims), AT(program, prefetch),
	AT(program, tiles),
	SIZE(row_loop), AT(row_loop, extent), AT(row_loop, src), AT(row_loop, dst), AT(row_loop, param),
	SIZE(conversion), AT(conversion, type), AT(conversion, loops), AT(conversion, count), AT(conversion, period),
	AT(conversion, advance), AT(conversion, whole), AT(conversion, last_count), AT(conversion, first), AT(conversion, last),
	AT(conversion, loop), params = S1_PARAMS, period = S1_PERIOD,
	SIZE(picks), AT(picks, at), AT(picks, pick),
};
*/
import "C"

import "unsafe"

// C reads a Program where Go has it, so that both must lay it out alike. Each line below declares an
// array whose length is an offset or a size in C, with a value whose length is the same offset or
// size in Go: if these differ, the line does not compile.
var (
	_ [C.dim_size]struct{}                   = [unsafe.Sizeof(Dim{})]struct{}{}
	_ [C.dim_extent]struct{}                 = [unsafe.Offsetof(Dim{}.Extent)]struct{}{}
	_ [C.dim_src]struct{}                    = [unsafe.Offsetof(Dim{}.Src)]struct{}{}
	_ [C.dim_dst]struct{}                    = [unsafe.Offsetof(Dim{}.Dst)]struct{}{}
	_ [C.row_loop_size]struct{}              = [unsafe.Sizeof(RowLoop{})]struct{}{}
	_ [C.row_loop_extent]struct{}            = [unsafe.Offsetof(RowLoop{}.Extent)]struct{}{}
	_ [C.row_loop_src]struct{}               = [unsafe.Offsetof(RowLoop{}.Src)]struct{}{}
	_ [C.row_loop_dst]struct{}               = [unsafe.Offsetof(RowLoop{}.Dst)]struct{}{}
	_ [C.row_loop_param]struct{}             = [unsafe.Offsetof(RowLoop{}.Param)]struct{}{}
	_ [C.conversion_size]struct{}            = [unsafe.Sizeof(Conversion{})]struct{}{}
	_ [C.conversion_type]struct{}            = [unsafe.Offsetof(Conversion{}.Type)]struct{}{}
	_ [C.conversion_loops]struct{}           = [unsafe.Offsetof(Conversion{}.Loops)]struct{}{}
	_ [C.conversion_count]struct{}           = [unsafe.Offsetof(Conversion{}.Count)]struct{}{}
	_ [C.conversion_period]struct{}          = [unsafe.Offsetof(Conversion{}.Period)]struct{}{}
	_ [C.conversion_loop]struct{}            = [unsafe.Offsetof(Conversion{}.Loop)]struct{}{}
	_ [C.conversion_advance]struct{}         = [unsafe.Offsetof(Conversion{}.Advance)]struct{}{}
	_ [C.conversion_whole]struct{}           = [unsafe.Offsetof(Conversion{}.Whole)]struct{}{}
	_ [C.conversion_last_count]struct{}      = [unsafe.Offsetof(Conversion{}.LastCount)]struct{}{}
	_ [C.conversion_first]struct{}           = [unsafe.Offsetof(Conversion{}.First)]struct{}{}
	_ [C.conversion_last]struct{}            = [unsafe.Offsetof(Conversion{}.Last)]struct{}{}
	_ [C.picks_size]struct{}                 = [unsafe.Sizeof(Picks{})]struct{}{}
	_ [C.picks_at]struct{}                   = [unsafe.Offsetof(Picks{}.At)]struct{}{}
	_ [C.picks_pick]struct{}                 = [unsafe.Offsetof(Picks{}.Pick)]struct{}{}
	_ [C.period]struct{}                     = [Period]struct{}{}
	_ [C.params]struct{}                     = [MaxParams]struct{}{}
	_ [C.prefetch_size]struct{}              = [unsafe.Sizeof(Prefetch{})]struct{}{}
	_ [C.prefetch_distance]struct{}          = [unsafe.Offsetof(Prefetch{}.Distance)]struct{}{}
	_ [C.prefetch_reach]struct{}             = [unsafe.Offsetof(Prefetch{}.Reach)]struct{}{}
	_ [C.prefetch_begin]struct{}             = [unsafe.Offsetof(Prefetch{}.Begin)]struct{}{}
	_ [C.prefetch_length]struct{}            = [unsafe.Offsetof(Prefetch{}.Length)]struct{}{}
	_ [C.prefetch_near]struct{}              = [unsafe.Offsetof(Prefetch{}.Near)]struct{}{}
	_ [C.tiles_size]struct{}                 = [unsafe.Sizeof(Tiles{})]struct{}{}
	_ [C.tiles_across]struct{}               = [unsafe.Offsetof(Tiles{}.Across)]struct{}{}
	_ [C.tiles_band]struct{}                 = [unsafe.Offsetof(Tiles{}.Band)]struct{}{}
	_ [C.tiles_block]struct{}                = [unsafe.Offsetof(Tiles{}.Block)]struct{}{}
	_ [C.tiles_fold]struct{}                 = [unsafe.Offsetof(Tiles{}.Fold)]struct{}{}
	_ [C.tiles_join]struct{}                 = [unsafe.Offsetof(Tiles{}.Join)]struct{}{}
	_ [C.vector_size]struct{}                = [unsafe.Sizeof(Vector{})]struct{}{}
	_ [C.vector_windows]struct{}             = [unsafe.Offsetof(Vector{}.Windows)]struct{}{}
	_ [C.vector_at]struct{}                  = [unsafe.Offsetof(Vector{}.At)]struct{}{}
	_ [C.vector_pick]struct{}                = [unsafe.Offsetof(Vector{}.Pick)]struct{}{}
	_ [C.vector_perm]struct{}                = [unsafe.Offsetof(Vector{}.Perm)]struct{}{}
	_ [C.tail_size]struct{}                  = [unsafe.Sizeof(Tail{})]struct{}{}
	_ [C.tail_src]struct{}                   = [unsafe.Offsetof(Tail{}.Src)]struct{}{}
	_ [C.tail_dst]struct{}                   = [unsafe.Offsetof(Tail{}.Dst)]struct{}{}
	_ [C.tail_vector]struct{}                = [unsafe.Offsetof(Tail{}.Vector)]struct{}{}
	_ [C.windows_size]struct{}               = [unsafe.Sizeof(Windows{})]struct{}{}
	_ [C.windows_count]struct{}              = [unsafe.Offsetof(Windows{}.Count)]struct{}{}
	_ [C.windows_step]struct{}               = [unsafe.Offsetof(Windows{}.Step)]struct{}{}
	_ [C.windows_advance]struct{}            = [unsafe.Offsetof(Windows{}.Advance)]struct{}{}
	_ [C.windows_period]struct{}             = [unsafe.Offsetof(Windows{}.Period)]struct{}{}
	_ [C.windows_tails]struct{}              = [unsafe.Offsetof(Windows{}.Tails)]struct{}{}
	_ [C.windows_tail_lanes]struct{}         = [unsafe.Offsetof(Windows{}.TailLanes)]struct{}{}
	_ [C.windows_main]struct{}               = [unsafe.Offsetof(Windows{}.Main)]struct{}{}
	_ [C.windows_tail]struct{}               = [unsafe.Offsetof(Windows{}.Tail)]struct{}{}
	_ [C.masks_size]struct{}                 = [unsafe.Sizeof(Masks{})]struct{}{}
	_ [C.masks_count]struct{}                = [unsafe.Offsetof(Masks{}.Count)]struct{}{}
	_ [C.masks_step]struct{}                 = [unsafe.Offsetof(Masks{}.Step)]struct{}{}
	_ [C.masks_advance]struct{}              = [unsafe.Offsetof(Masks{}.Advance)]struct{}{}
	_ [C.masks_period]struct{}               = [unsafe.Offsetof(Masks{}.Period)]struct{}{}
	_ [C.masks_tails]struct{}                = [unsafe.Offsetof(Masks{}.Tails)]struct{}{}
	_ [C.masks_windows]struct{}              = [unsafe.Offsetof(Masks{}.Windows)]struct{}{}
	_ [C.masks_at]struct{}                   = [unsafe.Offsetof(Masks{}.At)]struct{}{}
	_ [C.masks_at_end]struct{}               = [unsafe.Offsetof(Masks{}.At) + unsafe.Sizeof(Masks{}.At)]struct{}{}
	_ [C.masks_take]struct{}                 = [unsafe.Offsetof(Masks{}.Take)]struct{}{}
	_ [C.masks_store]struct{}                = [unsafe.Offsetof(Masks{}.Store)]struct{}{}
	_ [C.masks_last_src]struct{}             = [unsafe.Offsetof(Masks{}.LastSrc)]struct{}{}
	_ [C.masks_last_dst]struct{}             = [unsafe.Offsetof(Masks{}.LastDst)]struct{}{}
	_ [C.masks_index]struct{}                = [unsafe.Offsetof(Masks{}.Index)]struct{}{}
	_ [C.units_size]struct{}                 = [unsafe.Sizeof(Units{})]struct{}{}
	_ [C.units_count]struct{}                = [unsafe.Offsetof(Units{}.Count)]struct{}{}
	_ [C.units_unit]struct{}                 = [unsafe.Offsetof(Units{}.Unit)]struct{}{}
	_ [C.units_each]struct{}                 = [unsafe.Offsetof(Units{}.Each)]struct{}{}
	_ [C.units_element]struct{}              = [unsafe.Offsetof(Units{}.Element)]struct{}{}
	_ [C.units_at]struct{}                   = [unsafe.Offsetof(Units{}.At)]struct{}{}
	_ [C.units_alone]struct{}                = [unsafe.Offsetof(Units{}.Alone)]struct{}{}
	_ [C.units_alone_end]struct{}            = [unsafe.Offsetof(Units{}.Alone) + unsafe.Sizeof(Units{}.Alone)]struct{}{}
	_ [C.masked_units_size]struct{}          = [unsafe.Sizeof(MaskedUnits{})]struct{}{}
	_ [C.masked_units_whole]struct{}         = [unsafe.Offsetof(MaskedUnits{}.Whole)]struct{}{}
	_ [C.masked_units_tails]struct{}         = [unsafe.Offsetof(MaskedUnits{}.Tails)]struct{}{}
	_ [C.masked_units_unit]struct{}          = [unsafe.Offsetof(MaskedUnits{}.Unit)]struct{}{}
	_ [C.masked_units_windows]struct{}       = [unsafe.Offsetof(MaskedUnits{}.Windows)]struct{}{}
	_ [C.masked_units_window_at]struct{}     = [unsafe.Offsetof(MaskedUnits{}.WindowAt)]struct{}{}
	_ [C.masked_units_window_at_end]struct{} = [unsafe.Offsetof(MaskedUnits{}.WindowAt) + unsafe.Sizeof(MaskedUnits{}.WindowAt)]struct{}{}
	_ [C.masked_units_take]struct{}          = [unsafe.Offsetof(MaskedUnits{}.Take)]struct{}{}
	_ [C.masked_units_store]struct{}         = [unsafe.Offsetof(MaskedUnits{}.Store)]struct{}{}
	_ [C.masked_units_index]struct{}         = [unsafe.Offsetof(MaskedUnits{}.Index)]struct{}{}
	_ [C.masked_units_at]struct{}            = [unsafe.Offsetof(MaskedUnits{}.At)]struct{}{}
	_ [C.program_size]struct{}               = [unsafe.Sizeof(Program{})]struct{}{}
	_ [C.program_set]struct{}                = [unsafe.Offsetof(Program{}.Set)]struct{}{}
	_ [C.program_loop]struct{}               = [unsafe.Offsetof(Program{}.Loop)]struct{}{}
	_ [C.program_kind]struct{}               = [unsafe.Offsetof(Program{}.Kind)]struct{}{}
	_ [C.program_width]struct{}              = [unsafe.Offsetof(Program{}.Width)]struct{}{}
	_ [C.program_src]struct{}                = [unsafe.Offsetof(Program{}.Src)]struct{}{}
	_ [C.program_dst]struct{}                = [unsafe.Offsetof(Program{}.Dst)]struct{}{}
	_ [C.program_row]struct{}                = [unsafe.Offsetof(Program{}.Row)]struct{}{}
	_ [C.program_outer]struct{}              = [unsafe.Offsetof(Program{}.Outer)]struct{}{}
	_ [C.program_nt]struct{}                 = [unsafe.Offsetof(Program{}.NT)]struct{}{}
	_ [C.program_innermost]struct{}          = [unsafe.Offsetof(Program{}.Innermost)]struct{}{}
	_ [C.program_next]struct{}               = [unsafe.Offsetof(Program{}.Next)]struct{}{}
	_ [C.program_dims]struct{}               = [unsafe.Offsetof(Program{}.Dims)]struct{}{}
	_ [C.program_prefetch]struct{}           = [unsafe.Offsetof(Program{}.Prefetch)]struct{}{}
	_ [C.program_tiles]struct{}              = [unsafe.Offsetof(Program{}.body)]struct{}{}
)

// The same for constants: C's on the left, Go's on the right.
var (
	_ [C.S1_RANK]struct{}         = [MaxRank]struct{}{}
	_ [C.S1_WINDOWS]struct{}      = [MaxWindows]struct{}{}
	_ [C.S1_LANE]struct{}         = [LaneBytes]struct{}{}
	_ [C.S1_VECTOR]struct{}       = [VectorBytes]struct{}{}
	_ [C.S1_PERMUTE]struct{}      = [PermuteBytes]struct{}{}
	_ [C.S1_LINE]struct{}         = [LineBytes]struct{}{}
	_ [C.S1_TAILS]struct{}        = [MaxTails]struct{}{}
	_ [C.S1_UNITS]struct{}        = [MaxUnits]struct{}{}
	_ [C.S1_UNIT_WINDOWS]struct{} = [MaxUnitWindows]struct{}{}
	_ [C.S1_plain]struct{}        = [Plain]struct{}{}
	_ [C.S1_tiled]struct{}        = [Tiled]struct{}{}
	_ [C.S1_windowed]struct{}     = [Windowed]struct{}{}
	_ [C.S1_masked]struct{}       = [Masked]struct{}{}
	_ [C.S1_placed]struct{}       = [Placed]struct{}{}
	_ [C.S1_masked_at]struct{}    = [MaskedAt]struct{}{}
)
