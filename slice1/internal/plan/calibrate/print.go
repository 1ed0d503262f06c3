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

// printRow prints a row as the declaration of a Go variable of that name, and sets the row's name.
func printRow(w io.Writer, name string, row *plan.Costs) error {
	row.Name = name
	source, err := format.Source([]byte("var " + name + " = " + literal(reflect.ValueOf(row).Elem(), false) + "\n"))
	if err == nil {
		_, err = w.Write(source)
	}
	return err
}

// typeNames replaces the names of types in a row by those that rows.go has for them.
var typeNames = strings.NewReplacer("[3]plan.LineCosts", "[levels]LineCosts", "plan.", "")

// literal returns a value of a row as a literal of Go. It leaves out the type if `clear` is true:
// then the type is clear from the context.
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
		if v.NumField() == 2 { // plan.LineCosts
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

// fields returns the fields of a literal that are not zero, one a line, in braces. field returns
// the name and the value of field i of `count`.
func fields(count int, clear bool, field func(i int) (name string, v reflect.Value)) string {
	var b strings.Builder
	for i := range count {
		if name, v := field(i); !v.IsZero() {
			fmt.Fprintf(&b, "%s: %s,\n", name, literal(v, clear))
		}
	}
	return "{\n" + b.String() + "}"
}

// checkRows prints, for each host's row of costs, how much slower the way that is cheapest by the
// row is than the fastest one: the mean over all records, the share of those where it is more than
// 1.15 times as slow, and the 99th percentile. Then it prints the `worst` records where it is
// slowest, with ways that take less than three times as long as the fastest.
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
