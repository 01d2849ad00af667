// Command words counts words: the smallest job of one's own. Build it, and name it in a job file: app: ./words.
package main

import (
	"strings"

	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/mapreduce/run"
)

func main() {
	run.Main(mapreduce.Typed[string, string, int64, int64]{
		Map: func(_ *mapreduce.Context, line string, emit func(string, int64)) error {
			for word := range strings.FieldsSeq(line) {
				emit(word, 1)
			}
			return nil
		},
		Fold: mapreduce.Sum,
	}.Program())
}
