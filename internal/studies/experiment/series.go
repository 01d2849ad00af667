package experiment

import (
	"slices"
	"strconv"
)

// Series is what one policy does in one scenario file, over the seeds; if it is compared Over another one, by
// what part its metrics are less than that one's. In a policy {seed} stands for the seed of each run.
type Series struct{ File, Policy, Over string }

// Row is a series with its name.
type Row struct {
	Name string
	Series
	Value float64 // of the parameter, in a series of several
	Unit  string  // the parameter's
}

// Rows are several, as one for each value of a parameter.
type Rows []Row

// some are one series or several.
type some interface{ rows() []Row }

func (r Row) rows() []Row  { return []Row{r} }
func (r Rows) rows() []Row { return r }

// list puts them one behind the other.
func list(of []some) (rows []Row) {
	for _, s := range of {
		rows = append(rows, s.rows()...)
	}
	return rows
}

// play is a series of a policy in a file.
func play(name, file, policy string) Row {
	return Row{Name: name, Series: Series{File: file, Policy: policy}}
}

// over has the series compared over what another policy does in the same file.
func (r Row) over(name, policy string) Row {
	r.Name, r.Over = name, policy
	return r
}

// called is the series by another name.
func (r Row) called(name string) Row {
	r.Name = name
	return r
}

// sweep makes a series for each value of a parameter.
func sweep(values []float64, one func(value string) Row) (rows Rows) {
	for _, v := range values {
		r := one(strconv.FormatFloat(v, 'g', -1, 64))
		r.Value = v
		rows = append(rows, r)
	}
	return rows
}

// at is the series of a value.
func (r Rows) at(value float64) Row {
	return r[slices.IndexFunc(r, func(one Row) bool { return one.Value == value })]
}

// under puts a word before the names of series.
func under(word string, of ...some) Rows {
	rows := list(of)
	for i := range rows {
		rows[i].Name = word + rows[i].Name
	}
	return rows
}
