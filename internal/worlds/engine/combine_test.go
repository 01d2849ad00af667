package engine_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/slackline/slackline/internal/worlds/conform"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/engine/process/commandtest"
	"github.com/slackline/slackline/internal/worlds/engine/streaming"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/units"
)

type emitWords struct{}

func (emitWords) Map(_, line []byte, out mapreduce.Emitter) error {
	for word := range bytes.FieldsSeq(line) {
		if err := out.Emit(word, []byte("1")); err != nil {
			return err
		}
	}
	return nil
}

// Whoever says how values are combined gets them combined to the end, whatever the blocks, the workers and the memory.
func TestCombinedWithoutReducer(t *testing.T) {
	mapper := func(*mapreduce.Context) (mapreduce.Mapper, error) { return emitWords{}, nil }
	typed := mapreduce.Typed[string, string, string, string]{Name: "typed",
		Map: func(_ *mapreduce.Context, line string, emit func(string, string)) error {
			for word := range bytes.FieldsSeq([]byte(line)) {
				emit(string(word), "1")
			}
			return nil
		},
		Combine: func(a, b string) string {
			x, _ := mapreduce.ParseCount([]byte(a))
			y, _ := mapreduce.ParseCount([]byte(b))
			return fmt.Sprint(x + y)
		},
	}.Program()
	jobs := map[string]engine.Job{
		"fold":     {Program: &mapreduce.Program{Name: "fold", NewMapper: mapper, Fold: mapreduce.Sum}},
		"combiner": {Program: &mapreduce.Program{Name: "combiner", NewMapper: mapper, NewCombiner: mapreduce.Sum.Reducer}},
		"typed":    {Program: &typed},
		"commands": {Program: &mapreduce.Program{Name: "commands"},
			Executor: streaming.New(streaming.Job{ID: "1_1", Map: commandtest.Words("words"), Combine: commandtest.Words("sum"), Reduces: 2})},
	}
	in, want := text(t, 600)
	for name, job := range jobs {
		t.Run(name, func(t *testing.T) {
			for _, size := range []struct {
				block, buffer units.Bytes
				nodes         int
			}{{units.MB, 0, 1}, {2 * units.KB, 0, 3}, {500, units.KB, 2}} {
				if name == "commands" && size.block < units.KB {
					continue // a process for each of many maps
				}
				job.Spec, job.Input, job.Output, job.Reduces = spec("j"), []string{in}, filepath.Join(t.TempDir(), "out"), 2
				_, e := run(t, engine.Config{Cluster: workers(size.nodes, 1, 1), Block: size.block, Buffer: size.buffer, Jobs: []engine.Job{job},
					Heartbeat: units.Millisecond}, conform.Friendly{})
				if e.jobs["j"] != "committed" {
					t.Fatalf("%+v: %s", size, e.jobs["j"])
				}
				same(t, counted(t, job.Output), want)
			}
		})
	}
}
