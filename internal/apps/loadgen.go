package apps

import (
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/units"
	"math"
)

// loadgen is after Hadoop's test application of that name, which "loads input data and outputs a
// fraction of the data intact" (paper 003, section 4.4.1), with a chosen amount of computing
// besides.
var loadgen = App{
	Name: "loadgen",
	Doc: "makes load: spends CPU time on every record and passes a part of the records on unchanged; with reduces: 0 it is the load of " +
		"maps alone",
	Output:  "line",
	MapOnly: true,
	Params: []Param{
		{Name: "map_cpu", Type: Duration, Default: "0s", Doc: "CPU time for each record of a map, such as 50us"},
		{Name: "map_output", Type: Number, Default: "1", Unit: "bytes out per byte in", Doc: "how much of its input a map emits; above 1 lines come several times"},
		{Name: "reduce_cpu", Type: Duration, Default: "0s", Doc: "CPU time for each record of a reduce"},
		{Name: "reduce_output", Type: Number, Default: "1", Unit: "bytes out per byte in", Doc: "how much of its input a reduce writes"},
	},
	build: func(s settings) mapreduce.Program {
		side := func(c *mapreduce.Context, cpu, output string) *load {
			return &load{c: c, cpu: s[cpu].(units.Duration), output: s[output].(float64)}
		}
		return mapreduce.Program{
			NewMapper: func(c *mapreduce.Context) (mapreduce.Mapper, error) { return side(c, "map_cpu", "map_output"), nil },
			NewReducer: func(c *mapreduce.Context) (mapreduce.Reducer, error) {
				return side(c, "reduce_cpu", "reduce_output"), nil
			},
		}
	},
}

// load is the map and the reduce of loadgen.
type load struct {
	c      *mapreduce.Context
	cpu    units.Duration
	output float64
	owed   float64 // bytes that the ratio asks for and that are not emitted yet
}

// Map makes the line the key, without a value.
func (l *load) Map(_, line []byte, out mapreduce.Emitter) error { return l.record(line, out) }

// Reduce takes every value for a record of its own.
func (l *load) Reduce(line []byte, values mapreduce.Values, out mapreduce.Emitter) error {
	for values.Next() {
		if err := l.record(line, out); err != nil {
			return err
		}
	}
	return nil
}

// record spends the time and emits the line as often as the ratio asks for by now, but no line more
// often than the ratio rounded up. What stays owed is carried to the next record, so that any ratio
// is met over many.
func (l *load) record(line []byte, out mapreduce.Emitter) error {
	l.spend()
	size := float64(len(line) + 1) // with its LF, so that empty lines count
	l.owed += l.output * size
	for left := math.Ceil(l.output); left > 0 && l.owed >= size; left-- {
		l.owed -= size
		if err := out.Emit(line, nil); err != nil {
			return err
		}
	}
	return nil
}

// slice is how long load computes before it looks whether it is to stop.
const slice = units.Millisecond

func (l *load) spend() {
	for left := l.cpu; left > 0 && !l.c.Stopped(); left -= slice {
		burn(min(left, slice))
		l.c.Progress()
	}
}
