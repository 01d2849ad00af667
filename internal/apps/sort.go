package apps

import "github.com/slackline/slackline/mapreduce"

var sortLines = App{
	Name: "sort",
	Doc: "sorts lines in byte order, duplicates kept; lines are spread over the parts by their hash, so each part is sorted in " +
		"itself and with reduces: 1 the output as a whole",
	Output: "line",
	build: func(settings) mapreduce.Program {
		return mapreduce.Program{
			NewMapper: func(*mapreduce.Context) (mapreduce.Mapper, error) { return lineAsKey{}, nil },
		}
	},
}

// lineAsKey makes the line the key, without a value.
type lineAsKey struct{}

func (lineAsKey) Map(_, line []byte, out mapreduce.Emitter) error { return out.Emit(line, nil) }
