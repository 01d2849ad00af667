package apps

import (
	"fmt"
	"math"
	"strconv"

	"github.com/slackline/slackline/mapreduce"
)

var wordcount = App{
	Name:   "wordcount",
	Doc:    "counts how often each word occurs; words are what stands between ASCII whitespace",
	Output: "word TAB count",
	build: func(settings) mapreduce.Program {
		return mapreduce.Program{
			NewMapper:   func(*mapreduce.Context) (mapreduce.Mapper, error) { return splitWords{}, nil },
			NewCombiner: newSum,
			NewReducer:  newSum,
		}
	},
}

// splitWords emits each word with a count of 1.
type splitWords struct{}

var one = []byte("1")

// space tells the whitespace of ASCII: space, tab, line feed, vertical tab, form feed, carriage return.
var space = [256]bool{' ': true, '\t': true, '\n': true, '\v': true, '\f': true, '\r': true}

func (splitWords) Map(_, line []byte, out mapreduce.Emitter) error {
	for i := 0; i < len(line); {
		for i < len(line) && space[line[i]] {
			i++
		}
		from := i
		for i < len(line) && !space[line[i]] {
			i++
		}
		if i > from {
			if err := out.Emit(line[from:i], one); err != nil {
				return err
			}
		}
	}
	return nil
}

func newSum(*mapreduce.Context) (mapreduce.Reducer, error) { return new(sum), nil }

// sum adds up counts, as a combiner and as a reducer.
type sum struct{ text []byte }

func (s *sum) Reduce(key []byte, counts mapreduce.Values, out mapreduce.Emitter) error {
	total := int64(0)
	for counts.Next() {
		n, err := parseCount(counts.Value())
		if err != nil {
			return err
		}
		if total > math.MaxInt64-n {
			return fmt.Errorf("the count is beyond %d", math.MaxInt64)
		}
		total += n
	}
	s.text = strconv.AppendInt(s.text[:0], total, 10)
	return out.Emit(key, s.text)
}

// parseCount reads a decimal count without making a string of it.
func parseCount(text []byte) (int64, error) {
	if len(text) == 0 || len(text) > 19 {
		return 0, fmt.Errorf("%q is not a count", text)
	}
	n := int64(0)
	for _, d := range text {
		if d < '0' || d > '9' {
			return 0, fmt.Errorf("%q is not a count", text)
		}
		if n > (math.MaxInt64-int64(d-'0'))/10 {
			return 0, fmt.Errorf("the count %s is beyond %d", text, math.MaxInt64)
		}
		n = 10*n + int64(d-'0')
	}
	return n, nil
}
