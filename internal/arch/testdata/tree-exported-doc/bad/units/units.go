// Package units leaves its readers guessing.
package units

type Watts float64 // want tree-exported-doc

func (w Watts) Kilo() float64 { return float64(w) / 1000 } // want tree-exported-doc

func Sum(w ...Watts) Watts { return 0 } // want tree-exported-doc

const Max Watts = 1 // want tree-exported-doc

var Zero, one Watts // want tree-exported-doc

type (
	Joules float64 // want tree-exported-doc
)

const (
	A = iota // a comment at the end will do

	B // so will this

	c
)
