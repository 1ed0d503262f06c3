package main

import (
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// printRow prints a row as a literal of Go.
func printRow(w io.Writer, name string, row *plan.Costs) {
	row.Name = name
	var text func(v reflect.Value, indent string, elided bool) string
	text = func(v reflect.Value, indent string, elided bool) string {
		if v.IsZero() {
			return ""
		}
		inside := indent + "\t"
		switch v.Kind() {
		case reflect.Struct:
			var b strings.Builder
			for i := range v.NumField() {
				if s := text(v.Field(i), inside, false); s != "" {
					fmt.Fprintf(&b, "%s%s: %s,\n", inside, v.Type().Field(i).Name, s)
				}
			}
			return typeName(v, elided) + "{\n" + b.String() + indent + "}"
		case reflect.Array:
			if v.Type().Elem().Kind() == reflect.Int64 {
				return typeName(v, elided) + "{" + strings.Join(strings.Fields(strings.Trim(fmt.Sprint(v.Interface()), "[]")), ", ") + "}"
			}
			var b strings.Builder
			for i := range v.Len() {
				if s := text(v.Index(i), inside, true); s != "" {
					fmt.Fprintf(&b, "%s%d: %s,\n", inside, i, s)
				}
			}
			return typeName(v, elided) + "{\n" + b.String() + indent + "}"
		case reflect.String:
			return fmt.Sprintf("%q", v.String())
		}
		return fmt.Sprint(v.Int())
	}
	fmt.Fprintf(w, "%s,\n", text(reflect.ValueOf(row).Elem(), "\t", true))
}

// typeName returns the name of a value's type, "" if it is elided.
func typeName(v reflect.Value, elided bool) string {
	if elided {
		return ""
	}
	return strings.ReplaceAll(v.Type().String(), "plan.", "")
}

// checkRows prints how much slower than the fastest candidate the cheapest one is, by each
// row of costs, and the slices for which it is slowest.
func checkRows(w io.Writer, all []record, worst int) error {
	for _, h := range plan.Rows() {
		type choice struct {
			slower       float64
			chosen, best string
			nest         *nest.Nest
		}
		var choices []choice
		sum, slow := 0., 0
		for i := range all {
			r := &all[i]
			c := choice{nest: &r.Nest}
			least, fastest := int64(math.MaxInt64), math.Inf(1)
			for _, x := range waysOf(h, &r.Nest) {
				name := x.String()
				ns, measured := r.NS[name]
				if !measured {
					continue
				}
				if cost := x.cost(h, h, &r.Nest); cost < least {
					least, c.chosen = cost, name
				}
				if ns < fastest {
					fastest, c.best = ns, name
				}
			}
			c.slower = r.NS[c.chosen] / fastest
			sum += c.slower
			if c.slower > 1.15 {
				slow++
			}
			choices = append(choices, c)
		}
		slices.SortFunc(choices, func(a, b choice) int { return int(math.Copysign(1, b.slower-a.slower)) })
		n := float64(len(all))
		fmt.Fprintf(w, "%-16s mean %.4f, %.2f %% above 1.15, 99th percentile %.3f\n", h.Costs.Name, sum/n, 100*float64(slow)/n, choices[len(all)/100].slower)
		for _, c := range choices[:min(worst, len(choices))] {
			fmt.Fprintf(w, "%.3f %s for %s:", c.slower, c.chosen, c.best)
			fmt.Fprintf(w, " %d", c.nest.Width)
			for _, d := range c.nest.Dims[:c.nest.Rank] {
				fmt.Fprintf(w, " %d:%d:%d", d.Extent, d.Src, d.Dst)
			}
			r := all[slices.IndexFunc(all, func(r record) bool { return r.Nest == *c.nest })]
			for _, x := range waysOf(h, c.nest) {
				if ns := r.NS[x.String()]; ns > 0 && ns < 3*r.NS[c.best] {
					fmt.Fprintf(w, "; %s %.0f for %.0f", x.String(), float64(x.cost(h, h, c.nest))/1000, ns)
				}
			}
			fmt.Fprintln(w)
		}
	}
	return nil
}
