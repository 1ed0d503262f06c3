//go:build amd64 || arm64

package program

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite layout.h")

const layoutFile = "../../../csrc/layout.h"

// elementNames has the names of the types of elements of a conversion.
var elementNames = [...]string{Bits16: "bits16", Bits32: "bits32", Bits64: "bits64", Uint8: "uint8", Int8: "int8", Uint16: "uint16", Int16: "int16", Int32: "int32",
	Float32: "float32", Float16: "float16", BFloat16: "bfloat16", Sample257: "sample", Float64: "float64",
	Int64: "int64", Uint32: "uint32", Uint64: "uint64"}

// ruleNames has the names of the rules.
var ruleNames = [...]string{InFloat32: "in_float32", InFloat64: "in_float64", Unchanged: "unchanged", Saturating: "saturating",
	ByTable: "by_table", Quotient: "quotient", Quantized: "quantized", Dequantized: "dequantized"}

// C reads programs and conversions in the layout that Go gives them. layout.h declares the same
// fields as Go, and asserts the same sizes. With -update the test writes layout.h.
func TestLayoutIsThatOfC(t *testing.T) {
	var b strings.Builder
	b.WriteString("/* layout.h - slice1/internal/program in C. `go test ./slice1/internal/program -update` writes it. */\n\n")
	constants := []struct {
		name  string
		value int
	}{
		{"RANK", MaxRank}, {"WINDOWS", MaxWindows}, {"LANE", LaneBytes}, {"LINE", LineBytes},
		{"TAILS", MaxTails}, {"UNITS", MaxUnits}, {"PARAMS", MaxParams}, {"PERIOD", Period}, {"VARIANTS", variants},
		{"FORMS", int(forms)}, {"SETS", len(Sets)}, {"COLUMNS", len(columnNames) + len(windowNames) + len(vnniColumnNames)}, {"ROWS", len(rowNames) + len(vnniRowNames)},
		{"PLANE_COLUMNS", len(planeColumnNames)}, {"PLANE_ROWS", len(planeRowNames)}, {"JOINED", MaxJoined},
		{"LIBJPEG", int(LibJPEG)}, {"LIBWEBP", int(LibWebP)}, {"SWSCALE", int(Swscale)}, {"OPENCV", int(OpenCV)},
	}
	for _, c := range constants {
		fmt.Fprintf(&b, "#define S1_%s %d\n", c.name, c.value)
	}
	fmt.Fprintf(&b, "\n/* clang-format off */\nenum { S1_%s };\n#define S1_EACH_FORM(X) X(%s)\n",
		strings.Join(formNames[:], ", S1_"), strings.Join(formNames[:], ") X("))
	fmt.Fprintf(&b, "#define S1_EACH_COLUMNS(X, ALL, VNNI) X(%s) ALL(%s) VNNI(%s)\n", strings.Join(columnNames[:], ") X("), strings.Join(windowNames[:], ") ALL("), strings.Join(vnniColumnNames[:], ") VNNI("))
	fmt.Fprintf(&b, "#define S1_EACH_ROWS(X, VNNI) X(%s) VNNI(%s)\n", strings.Join(rowNames[:], ") X("), strings.Join(vnniRowNames[:], ") VNNI("))
	fmt.Fprintf(&b, "#define S1_EACH_PLANE_COLUMNS(X) X(%s)\n#define S1_EACH_PLANE_ROWS(X) X(%s)\n", strings.Join(planeColumnNames[:], ") X("), strings.Join(planeRowNames[:], ") X("))
	setsOf, numbers := map[string]string{}, []string{}
	for number, set := range Sets {
		if set.InGo {
			continue
		}
		setsOf[set.Arch] += " X(" + set.Name + ")"
		numbers = append(numbers, fmt.Sprintf("S1_set_%s = %d", set.Name, number))
		fmt.Fprintf(&b, "#define S1_LOOPS_%s(PLAIN, VARIANT)", set.Name)
		for _, loop := range loopsOf(int32(number)) {
			form, variant := FormOf(loop), variantOf(loop)
			if name := formNames[form]; variant == 0 {
				fmt.Fprintf(&b, " PLAIN(%s)", name)
			} else {
				fmt.Fprintf(&b, " VARIANT(%s, %d)", name, variant)
			}
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "enum { %s };\n", strings.Join(numbers, ", "))
	list := ""
	numbers = nil
	for number, name := range elementNames {
		if name == "" {
			continue
		}
		of, size := "X", ElementType(number).Size()
		if ElementType(number) == Float32 {
			of = "FLOAT"
		} else if ElementType(number).KeepsBits() {
			of = "BITS"
		} else if ElementType(number) > Float64 {
			of = "WIDE"
		}
		list += fmt.Sprintf(" %s(%s, %d)", of, name, size)
		numbers = append(numbers, fmt.Sprintf("S1_number_%s = %d", name, number))
	}
	fmt.Fprintf(&b, "enum { %s };\n#define S1_EACH_NUMBER(X, FLOAT, BITS, WIDE)%s\nenum { S1_%s };\n", strings.Join(numbers, ", "), list, strings.Join(ruleNames[:], ", S1_"))
	for _, arch := range slices.Sorted(maps.Keys(setsOf)) {
		fmt.Fprintf(&b, "#define S1_SETS_%s(X)%s\n", arch, setsOf[arch])
	}
	b.WriteString("/* clang-format on */\n")
	for _, v := range []any{Dim{}, Prefetch{}, Tiles{}, Vector{}, Tail{}, Shuffle{}, Merged{}, Masks{}, Units{}, MaskedUnits{}, Draft{}, Part{}, Picks{}, Conversion{}, Colours{}, ColumnPass{}, RowPass{}, Frame{}, PlaneColumnPass{}, PlaneRowPass{}} {
		of := reflect.TypeOf(v)
		b.WriteString("\n" + inC(of))
		if slices.Contains([]string{"Draft", "Conversion", "Colours", "Frame"}, of.Name()) {
			fmt.Fprintf(&b, "_Static_assert(sizeof(s1_%s) == %d, \"\");\n", nameInC(of), of.Size())
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(layoutFile, []byte(b.String()), 0o644))
	}
	layout, err := os.ReadFile(layoutFile)
	require.NoError(t, err)
	assert.Equal(t, b.String(), strings.ReplaceAll(string(layout), "\r\n", "\n"))
}

// inC returns the declaration of a struct in C. Fields of the same type that follow each other are
// one line.
func inC(of reflect.Type) string {
	var lines []string
	before := ""
	for _, f := range reflect.VisibleFields(of) {
		if f.Anonymous {
			continue
		}
		if f.Name == "room" {
			lines = append(lines, "  union {\n    s1_tiles tiles;\n    s1_shuffle shuffle;\n    s1_masks masks;\n    s1_units units;\n    s1_masked_units masked_units;\n  };")
			continue
		}
		field, e := snake(f.Name), f.Type
		for ; e.Kind() == reflect.Array; e = e.Elem() {
			field += fmt.Sprintf("[%d]", e.Len())
		}
		name := "s1_" + nameInC(e)
		if e.Kind() != reflect.Struct {
			name = e.Kind().String() + "_t"
		}
		if name == before {
			last := &lines[len(lines)-1]
			*last = strings.TrimSuffix(*last, ";") + ", " + field + ";"
		} else {
			lines = append(lines, "  "+name+" "+field+";")
		}
		before = name
	}
	return fmt.Sprintf("typedef struct {\n%s\n} s1_%s;\n", strings.Join(lines, "\n"), nameInC(of))
}

// nameInC returns the name that C has for a struct. C sees every program as a draft.
func nameInC(of reflect.Type) string {
	if of == reflect.TypeFor[Draft]() {
		of = reflect.TypeFor[Program]()
	}
	return snake(of.Name())
}

var word = regexp.MustCompile(`([a-z])([A-Z])`)

// snake returns C's form of a name of Go.
func snake(name string) string { return strings.ToLower(word.ReplaceAllString(name, "${1}_${2}")) }
