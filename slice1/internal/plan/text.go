package plan

// String returns the name of the kind in the names of candidates.
func (k Kind) String() string {
	return [...]string{"copy", "string", "table", "tile", "units", "shuffle", "spread", "gather", "element", "element long"}[k]
}

// String returns the name of stages in the names of candidates.
func (s Stages) String() string {
	return [...]string{Slice: "slice", Rows: "convert", Windows: "convert windows", SliceRows: "slice convert", RowsSlice: "convert slice",
		SliceRowsSlice: "slice convert slice", Packed: "packed"}[s]
}

// String returns the last part of the names of candidates that are cut so.
func (c Cutting) String() string {
	name := [...]string{"", " boxes", " bands", " long", " long bands"}[c.Parts] + [...]string{"", " by source", " by destination"}[c.Order]
	if c.Blocks {
		name += " in blocks"
	}
	return name
}

// String returns the candidate's name: its kernel, its stages, or the kind of its one slice unless
// plain Go runs that, and "nt" if it uses non-temporal stores; then how the nest is cut, if not by
// the usual rule.
func (c Candidate) String() string {
	name := c.Kernel.String()
	switch {
	case c.Stages != 0:
		name += " " + c.Stages.String()
	case c.Kernel != Go:
		name += " " + c.Kind.String()
	}
	if c.NonTemporal {
		name += " nt"
	}
	return name + c.Cutting.String()
}
