// Command combiner counts words with a combiner and without a reducer, as none of the examples does.
package main

import (
	"bytes"

	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/mapreduce/run"
)

type words struct{}

// Map emits each word of the line.
func (words) Map(_, line []byte, out mapreduce.Emitter) error {
	for word := range bytes.FieldsSeq(line) {
		if err := out.Emit(word, []byte("1")); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	run.Main(mapreduce.Program{
		NewMapper:   func(*mapreduce.Context) (mapreduce.Mapper, error) { return words{}, nil },
		NewCombiner: mapreduce.Sum.Reducer,
	})
}
