package mapreduce

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
)

// Fold is a combiner for values that fit into one number, such as counts. The engine keeps one
// number for each key and folds a value into it the moment it is emitted, which costs neither
// memory nor a call for each batch of values. Add has to be associative and commutative. A program
// with a fold and without a reducer folds in its reduces too.
type Fold struct {
	Kind   Kind // of Add
	Parse  func(value []byte) (int64, error)
	Add    func(a, b int64) (int64, error)
	Append func(to []byte, n int64) []byte // writes the number as a value that Parse reads
}

// Kind is what a Fold does, as engines have a loop for each but the first. Values of the others are decimal numbers.
type Kind uint8

// The kinds of folds.
const (
	OwnFold Kind = iota // Add is called for each value
	SumFold
	MinFold
	MaxFold
)

// Sum is the Fold that adds up decimal counts, from 0 to 2^63-1. A sum beyond that is an error. Min and Max keep the
// least and the largest of decimal numbers from -2^63+1 to 2^63-1.
var (
	Sum = &Fold{Kind: SumFold, Parse: ParseCount, Add: add, Append: appendCount}
	Min = &Fold{Kind: MinFold, Parse: parseNumber, Add: func(a, b int64) (int64, error) { return min(a, b), nil }, Append: appendCount}
	Max = &Fold{Kind: MaxFold, Parse: parseNumber, Add: func(a, b int64) (int64, error) { return max(a, b), nil }, Append: appendCount}
)

func add(a, b int64) (int64, error) {
	switch sum := a + b; {
	case a > 0 && b > 0 && sum < 0:
		return 0, &BadRecord{fmt.Errorf("the count is beyond %d", math.MaxInt64)}
	case a < 0 && b < 0 && sum >= 0:
		return 0, &BadRecord{fmt.Errorf("the sum is below %d", math.MinInt64)}
	default:
		return sum, nil
	}
}

func parseNumber(text []byte) (int64, error) {
	if count, below := bytes.CutPrefix(text, []byte("-")); below {
		n, err := ParseCount(count)
		return -n, err
	}
	return ParseCount(text)
}

func appendCount(to []byte, n int64) []byte { return strconv.AppendInt(to, n, 10) }

// ParseCount reads a decimal count, from 0 to 2^63-1, without making a string of it. Anything else
// is a BadRecord: another attempt would read the same.
func ParseCount(text []byte) (int64, error) {
	if len(text) == 0 || len(text) > 19 {
		return 0, noCount(text)
	}
	n := int64(0)
	for _, d := range text {
		if d < '0' || d > '9' {
			return 0, noCount(text)
		}
		if n > (math.MaxInt64-int64(d-'0'))/10 {
			return 0, &BadRecord{fmt.Errorf("the count %s is beyond %d", text, math.MaxInt64)}
		}
		n = 10*n + int64(d-'0')
	}
	return n, nil
}

// noCount says so. Between maps and reduces a carriage return is a byte of the value; in a file from
// elsewhere it is the end of the line.
func noCount(text []byte) error {
	if n := len(text); n > 0 && text[n-1] == '\r' {
		return &BadRecord{fmt.Errorf("%q is not a count: a carriage return stands behind it, and such lines end with a line feed alone", text)}
	}
	return &BadRecord{fmt.Errorf("%q is not a count", text)}
}

// Reducer is a constructor for a Program: a Reducer that folds all values of a key and emits the
// one that comes of them. It can stand for a combiner too.
func (f *Fold) Reducer(*Context) (Reducer, error) { return &folding{fold: f}, nil }

type folding struct {
	fold *Fold
	text []byte
}

// Folds tells engines that it does no more than the Fold.
func (f *folding) Folds() *Fold { return f.fold }

func (f *folding) Reduce(key []byte, values Values, out Emitter) error {
	var sum int64
	for first := true; values.Next(); first = false {
		n, err := f.fold.Parse(values.Value())
		if err == nil && !first {
			n, err = f.fold.Add(sum, n)
		}
		if err != nil {
			return err
		}
		sum = n
	}
	f.text = f.fold.Append(f.text[:0], sum)
	return out.Emit(key, f.text)
}
