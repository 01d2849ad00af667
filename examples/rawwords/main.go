// Command rawwords counts words by the raw API: keys and values are bytes that the engine copies at
// Emit, so a record costs no allocation, and counts are added where they are emitted, and in the
// reduces again: a program with a Fold needs no reducer of its own. It does what examples/words
// does, some three times as fast.
package main

import (
	"bytes"

	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/mapreduce/run"
)

type words struct{}

var one = []byte("1")

// Map emits each word of the line.
func (words) Map(_, line []byte, out mapreduce.Emitter) error {
	for word := range bytes.FieldsSeq(line) {
		if err := out.Emit(word, one); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	run.Main(mapreduce.Program{
		NewMapper: func(*mapreduce.Context) (mapreduce.Mapper, error) { return words{}, nil },
		Fold:      mapreduce.Sum,
	})
}
