package main

import (
	"fmt"
	"go/format"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// printRow prints a row as a variable of Go.
func printRow(w io.Writer, name string, row *plan.Costs) error {
	row.Name = name
	source, err := format.Source([]byte("var " + name + " = " + literal(reflect.ValueOf(row).Elem(), false) + "\n"))
	if err == nil {
		_, err = w.Write(source)
	}
	return err
}

// typeNames are the types of a row as rows.go writes them.
var typeNames = strings.NewReplacer("[3]plan.LineCosts", "[levels]LineCosts", "plan.", "")

// literal returns a literal of Go, its type left out if that is clear.
func literal(v reflect.Value, clear bool) string {
	name := ""
	if !clear {
		name = typeNames.Replace(v.Type().String())
	}
	switch v.Kind() {
	case reflect.Int8:
		return [...]string{"Cached", "Far", "Near", "Short"}[v.Int()]
	case reflect.String:
		return strconv.Quote(v.String())
	case reflect.Struct:
		if v.NumField() == 2 { // a pair
			return fmt.Sprintf("%s{%d, %d}", name, v.Field(0).Int(), v.Field(1).Int())
		}
		return name + fields(v.NumField(), false, func(i int) (string, reflect.Value) { return v.Type().Field(i).Name, v.Field(i) })
	case reflect.Array:
		if v.Type().Elem() == reflect.TypeFor[plan.SetCosts]() {
			return name + fields(v.Len(), true, func(i int) (string, reflect.Value) { return strconv.Itoa(i), v.Index(i) })
		}
		var values []string
		for i := range v.Len() {
			values = append(values, literal(v.Index(i), true))
		}
		return name + "{" + strings.Join(values, ", ") + "}"
	}
	return fmt.Sprint(v.Int())
}

// fields returns the fields of a literal that are not zero, one a line.
func fields(count int, clear bool, field func(i int) (name string, v reflect.Value)) string {
	var b strings.Builder
	for i := range count {
		if name, v := field(i); !v.IsZero() {
			fmt.Fprintf(&b, "%s: %s,\n", name, literal(v, clear))
		}
	}
	return "{\n" + b.String() + "}"
}

// checkRows prints how much slower than the fastest candidate the cheapest one is, by each
// row of costs, and the slices for which it is slowest.
func checkRows(w io.Writer, hosts []*plan.Host, all []record, worst int) error {
	for _, h := range hosts {
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
