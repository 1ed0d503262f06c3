/* layout.h - slice1/internal/program in C. `go test ./slice1/internal/program -update` writes it. */

#define S1_RANK 8
#define S1_WINDOWS 8
#define S1_LANE 16
#define S1_LINE 64
#define S1_TAILS 4
#define S1_UNITS 256
#define S1_PARAMS 256
#define S1_PERIOD 48
#define S1_VARIANTS 9
#define S1_FORMS 19
#define S1_SETS 5
#define S1_COLUMNS 29
#define S1_ROWS 11
#define S1_PLANE_COLUMNS 2
#define S1_PLANE_ROWS 2
#define S1_JOINED 8
#define S1_LIBJPEG 1
#define S1_LIBWEBP 2
#define S1_SWSCALE 3
#define S1_OPENCV 4

/* clang-format off */
enum { S1_copy, S1_tile, S1_table, S1_gather, S1_element, S1_string, S1_lanes, S1_dwords, S1_bytes, S1_cross, S1_every2, S1_every3, S1_every4, S1_units_lanes, S1_units_dwords, S1_units_bytes, S1_units_cross, S1_permute, S1_units_permute };
#define S1_EACH_FORM(X) X(copy) X(tile) X(table) X(gather) X(element) X(string) X(lanes) X(dwords) X(bytes) X(cross) X(every2) X(every3) X(every4) X(units_lanes) X(units_dwords) X(units_bytes) X(units_cross) X(permute) X(units_permute)
#define S1_EACH_COLUMNS(X, ALL, VNNI) X(weigh_columns) X(sum_columns) X(add_columns) X(pick_columns4) X(pick_columns1) X(join_rows) X(part_rows1) X(join_rows2) X(join_rows4) X(part_rows4) X(cover_columns) X(average_columns) X(mean_columns) X(weigh_columns3) X(sum_columns3) X(pick_columns3) X(sum_windows) ALL(pick_windows) ALL(sum_pairs) VNNI(weigh_quads) VNNI(zip_quads) VNNI(weigh_spans) VNNI(zip_spans) VNNI(weigh_runs) VNNI(zip_runs) VNNI(weigh_quads1) VNNI(zip_quads1) VNNI(weigh_spans1) VNNI(zip_spans1)
#define S1_EACH_ROWS(X, VNNI) X(weigh_rows) X(sum_rows) X(add_rows) X(cover_rows) X(average_rows) X(total_rows) X(mean_fours1) X(mean_fours4) X(mix_rows) VNNI(weigh_fours) VNNI(weigh_zipped)
#define S1_EACH_PLANE_COLUMNS(X) X(weigh_plane_columns) X(add_plane_columns)
#define S1_EACH_PLANE_ROWS(X) X(weigh_plane_rows) X(add_plane_rows)
#define S1_LOOPS_avx2(PLAIN, VARIANT) PLAIN(copy) PLAIN(tile) PLAIN(table) PLAIN(gather) PLAIN(element) PLAIN(string) VARIANT(lanes, 1) VARIANT(lanes, 2) VARIANT(lanes, 3) VARIANT(lanes, 4) VARIANT(lanes, 5) VARIANT(lanes, 6) VARIANT(lanes, 7) VARIANT(lanes, 8) VARIANT(dwords, 1) VARIANT(dwords, 2) VARIANT(dwords, 3) VARIANT(dwords, 4) VARIANT(dwords, 5) VARIANT(dwords, 6) VARIANT(dwords, 7) VARIANT(dwords, 8) VARIANT(bytes, 1) VARIANT(bytes, 2) VARIANT(bytes, 3) VARIANT(bytes, 4) VARIANT(bytes, 5) VARIANT(bytes, 6) VARIANT(bytes, 7) VARIANT(bytes, 8) VARIANT(cross, 1) VARIANT(cross, 2) VARIANT(cross, 3) VARIANT(cross, 4) VARIANT(cross, 5) VARIANT(cross, 6) VARIANT(cross, 7) VARIANT(cross, 8) VARIANT(every2, 1) VARIANT(every2, 2) VARIANT(every2, 4) VARIANT(every2, 8) VARIANT(every3, 4) VARIANT(every4, 1) VARIANT(every4, 2) VARIANT(every4, 4) VARIANT(units_lanes, 1) VARIANT(units_lanes, 2) VARIANT(units_dwords, 1) VARIANT(units_dwords, 2) VARIANT(units_bytes, 1) VARIANT(units_bytes, 2) VARIANT(units_cross, 1) VARIANT(units_cross, 2)
#define S1_LOOPS_avx512(PLAIN, VARIANT) PLAIN(copy) VARIANT(permute, 1) VARIANT(permute, 2) VARIANT(permute, 3) VARIANT(permute, 4) VARIANT(permute, 5) VARIANT(permute, 6) VARIANT(permute, 7) VARIANT(permute, 8) VARIANT(units_permute, 1) VARIANT(units_permute, 2) VARIANT(units_permute, 3) VARIANT(units_permute, 4)
#define S1_LOOPS_neon(PLAIN, VARIANT) PLAIN(copy) PLAIN(tile) PLAIN(table) PLAIN(gather) PLAIN(element) VARIANT(lanes, 1) VARIANT(lanes, 2) VARIANT(lanes, 3) VARIANT(lanes, 4) VARIANT(lanes, 5) VARIANT(lanes, 6) VARIANT(lanes, 7) VARIANT(lanes, 8) VARIANT(bytes, 3) VARIANT(bytes, 4) VARIANT(bytes, 5) VARIANT(bytes, 6) VARIANT(bytes, 7) VARIANT(bytes, 8) VARIANT(every2, 1) VARIANT(every2, 2) VARIANT(every2, 4) VARIANT(every2, 8) VARIANT(every4, 1) VARIANT(every4, 2) VARIANT(every4, 4) VARIANT(units_lanes, 1) VARIANT(units_lanes, 2)
enum { S1_set_avx2 = 0, S1_set_avx512 = 1, S1_set_neon = 2 };
enum { S1_number_bits16 = 1, S1_number_bits32 = 2, S1_number_bits64 = 3, S1_number_uint8 = 4, S1_number_int8 = 5, S1_number_uint16 = 6, S1_number_int16 = 7, S1_number_int32 = 8, S1_number_float32 = 9, S1_number_float16 = 10, S1_number_bfloat16 = 11, S1_number_sample = 12, S1_number_float64 = 13, S1_number_int64 = 14, S1_number_uint32 = 15, S1_number_uint64 = 16 };
#define S1_EACH_NUMBER(X, FLOAT, BITS, WIDE) BITS(bits16, 2) BITS(bits32, 4) BITS(bits64, 8) X(uint8, 1) X(int8, 1) X(uint16, 2) X(int16, 2) X(int32, 4) FLOAT(float32, 4) X(float16, 2) X(bfloat16, 2) X(sample, 2) X(float64, 8) WIDE(int64, 8) WIDE(uint32, 4) WIDE(uint64, 8)
enum { S1_in_float32, S1_in_float64, S1_unchanged, S1_saturating, S1_by_table, S1_quotient, S1_quantized, S1_dequantized };
#define S1_SETS_amd64(X) X(avx2) X(avx512)
#define S1_SETS_arm64(X) X(neon)
/* clang-format on */

typedef struct {
  int64_t extent, src, dst, param;
} s1_dim;

typedef struct {
  int64_t distance, reach, begin, length, near;
} s1_prefetch;

typedef struct {
  s1_dim across;
  int64_t band, block, ahead;
  s1_dim fold, join;
} s1_tiles;

typedef struct {
  int32_t windows, at[2][8];
  uint8_t pick[8][32], perm[2][32];
} s1_vector;

typedef struct {
  int64_t src, dst;
  s1_vector vector;
} s1_tail;

typedef struct {
  int64_t count, step, advance, period;
  int32_t tails, tail_lanes;
  s1_vector main;
  s1_tail tail[4];
} s1_shuffle;

typedef struct {
  int32_t windows, at[8];
  uint64_t take[8], store;
  uint8_t index[64];
} s1_merged;

typedef struct {
  int64_t count, step, advance, period;
  int32_t tails, own;
  int64_t ahead, tail_src, tail_dst, last_src, last_dst;
  s1_merged each, tail;
} s1_masks;

typedef struct {
  int64_t count, unit;
  s1_vector each;
  int32_t element[32], at[256];
  uint16_t alone[257];
} s1_units;

typedef struct {
  int64_t whole, tails, unit, back;
  s1_merged each, tail;
  int32_t at[256];
} s1_masked_units;

typedef struct {
  int32_t set, loop, width, outer;
  int64_t src, dst;
  s1_dim row;
  int64_t nt;
  s1_dim innermost, next, dims[8];
  s1_prefetch prefetch;
  union {
    s1_tiles tiles;
    s1_shuffle shuffle;
    s1_masks masks;
    s1_units units;
    s1_masked_units masked_units;
  };
} s1_program;
_Static_assert(sizeof(s1_program) == 2504, "");

typedef struct {
  int64_t src, dst, program;
} s1_part;

typedef struct {
  int32_t at[12];
  uint8_t pick[48][4];
} s1_picks;

typedef struct {
  int32_t set, src, dst, swap, rule, places;
  int64_t nt, loops, count, period, made, advance, whole;
  s1_picks first, last;
  s1_dim loop[8];
} s1_conversion;
_Static_assert(sizeof(s1_conversion) == 816, "");

typedef struct {
  int32_t luma, offset, red_cr, green_cb, green_cr, blue_cb, cell_x, cell_y, skip, pixel, rule, smooth_x, smooth_y, round[2];
  int64_t width, rows, first, step, phase, luma_step, chroma_step, luma_stride, chroma_stride, stride, plane, column, columns, cell_rows;
} s1_colours;
_Static_assert(sizeof(s1_colours) == 176, "");

typedef struct {
  int32_t pass, at_once, rows;
  int64_t n, groups, dst[16], src[16];
} s1_column_pass;

typedef struct {
  int32_t pass;
  int64_t n, count, stride, each;
} s1_row_pass;

typedef struct {
  int32_t luma[3], cb[3], cr[3], luma_offset, chroma_offset, cell_x, cell_y, skip, phase, pixel, red, green, blue;
  int64_t width, rows, luma_step, chroma_step, luma_stride, chroma_stride, stride;
} s1_frame;
_Static_assert(sizeof(s1_frame) == 136, "");

typedef struct {
  int32_t pass;
  int64_t n, width, taps, dst[8], src[8];
} s1_plane_column_pass;

typedef struct {
  int32_t pass;
  int64_t rows, n, count, stride, taps;
} s1_plane_row_pass;
