package task

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/mapreduce"
)

// reference is MapReduce as one would write it on a napkin: everything in memory, one map from keys
// to values for each part.
func reference(p *mapreduce.Program, files []string, reduces int) (map[string]string, error) {
	parts := make([]map[string][]pair, max(reduces, 1))
	for i := range parts {
		parts[i] = map[string][]pair{}
	}
	var direct slow
	emit := &direct
	if reduces > 0 {
		emit = &slow{to: func(r pair) {
			part := parts[mapreduce.Hash([]byte(r.key), reduces)]
			part[r.key] = append(part[r.key], r)
		}}
	}
	mapper, err := p.NewMapper(mapreduce.NewContext(context.Background(), 0, 0, nil))
	if err != nil {
		return nil, err
	}
	if _, ok := mapper.(blocks); ok {
		mapper = words{}
	}
	for _, text := range files {
		for _, line := range naive(text) {
			var key [8]byte
			if err := mapper.Map(mapreduce.OffsetKey(&key, line.At), []byte(line.Text), emit); err != nil {
				return nil, err
			}
		}
	}
	out := map[string]string{}
	if reduces == 0 {
		out["all"] = direct.text.String()
		return out, nil
	}
	for i, part := range parts {
		reducer, err := p.NewReducer(mapreduce.NewContext(context.Background(), i, 0, nil))
		if err != nil {
			return nil, err
		}
		var keys []string
		for key := range part {
			keys = append(keys, key)
		}
		sort.Strings(keys)
		var text slow
		for _, key := range keys {
			if err := reducer.Reduce([]byte(key), &slowValues{rest: part[key]}, &text); err != nil {
				return nil, err
			}
		}
		out[fmt.Sprintf("part-r-%05d", i)] = text.text.String()
	}
	return out, nil
}

type pair struct {
	key, value string
	isNil      bool
}

type slow struct {
	to   func(pair)
	text strings.Builder
}

func (s *slow) Emit(key, value []byte) error {
	if s.to != nil {
		s.to(pair{string(key), string(value), value == nil})
		return nil
	}
	var fields []string
	if key != nil {
		fields = append(fields, string(key))
	}
	if value != nil {
		fields = append(fields, string(value))
	}
	if fields != nil {
		s.text.WriteString(strings.Join(fields, "\t") + "\n")
	}
	return nil
}

type slowValues struct {
	rest []pair
	now  pair
}

func (v *slowValues) Next() bool {
	if len(v.rest) == 0 {
		return false
	}
	v.now, v.rest = v.rest[0], v.rest[1:]
	return true
}

func (v *slowValues) Value() []byte {
	if v.now.isNil {
		return nil
	}
	return append([]byte{}, v.now.value...)
}

// words emits every word with a value that tells its place, so that a wrong order shows.
type words struct{}

func (words) Map(key, line []byte, out mapreduce.Emitter) error {
	for i, w := range bytes.Fields(line) {
		value := []byte(fmt.Sprintf("%d.%d", mapreduce.Offset(key), i))
		switch {
		case i%7 == 3:
			value = nil
		case i%7 == 5:
			value = []byte{}
		}
		if err := out.Emit(w, value); err != nil {
			return err
		}
	}
	if len(line) == 0 {
		return out.Emit([]byte{}, []byte("empty line"))
	}
	return nil
}

// blocks does the same for many lines at once.
type blocks struct{}

func (blocks) Map(_, _ []byte, _ mapreduce.Emitter) error { panic("it can take blocks") }

func (blocks) MapBlock(block []byte, offset int64, out mapreduce.Emitter) error {
	for len(block) > 0 {
		line, rest, _ := bytes.Cut(block, []byte("\n"))
		var key [8]byte
		if err := (words{}).Map(mapreduce.OffsetKey(&key, offset), line, out); err != nil {
			return err
		}
		offset += int64(len(block) - len(rest))
		block = rest
	}
	return nil
}

// list joins the values in order. It is associative, hence a combiner, but not commutative.
type list struct{}

func (list) Reduce(key []byte, values mapreduce.Values, out mapreduce.Emitter) error {
	var all []string
	for values.Next() {
		v := string(values.Value())
		if values.Value() == nil {
			v = "nil"
		}
		all = append(all, v)
	}
	return out.Emit(key, []byte(strings.Join(all, ",")))
}

// first looks at one value only, so that the engine has to skip the others.
type first struct{}

func (first) Reduce(key []byte, values mapreduce.Values, out mapreduce.Emitter) error {
	values.Next()
	return out.Emit(key, values.Value())
}

func newMapper(m mapreduce.Mapper) func(*mapreduce.Context) (mapreduce.Mapper, error) {
	return func(*mapreduce.Context) (mapreduce.Mapper, error) { return m, nil }
}

func newReducer(r mapreduce.Reducer) func(*mapreduce.Context) (mapreduce.Reducer, error) {
	return func(*mapreduce.Context) (mapreduce.Reducer, error) { return r, nil }
}

var programs = map[string]*mapreduce.Program{
	"list":     {Name: "list", NewMapper: newMapper(words{}), NewReducer: newReducer(list{})},
	"combine":  {Name: "combine", NewMapper: newMapper(words{}), NewCombiner: newReducer(list{}), NewReducer: newReducer(list{})},
	"first":    {Name: "first", NewMapper: newMapper(words{}), NewReducer: newReducer(first{})},
	"blocks":   {Name: "blocks", NewMapper: newMapper(blocks{}), NewReducer: newReducer(list{})},
	"identity": {Name: "identity", NewMapper: newMapper(words{}), NewReducer: newReducer(mapreduce.Identity{})},
}

// job runs a whole job with the package under test: maps by so many goroutines, then reduces.
type job struct {
	program *mapreduce.Program
	block   int64
	reduces int
	buffer  int
	workers int
	sources []input.Source
	written Written
}

// fataler is a *testing.T or a *rapid.T.
type fataler interface {
	Helper()
	Fatalf(string, ...any)
}

func write(t fataler, dir string, texts []string) []string {
	t.Helper()
	var paths []string
	for i, text := range texts {
		path := filepath.Join(dir, fmt.Sprintf("in-%03d", i))
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatalf("%v", err)
		}
		paths = append(paths, path)
	}
	return paths
}

func (j job) run(ctx context.Context, dir string, inputs []string) (map[string]string, *mapreduce.Counters, error) {
	files, err := input.Find(inputs)
	if j.sources != nil {
		files, err = input.FindAll(j.sources)
	}
	if err != nil {
		return nil, nil, err
	}
	size := int64(0)
	for _, f := range files {
		size += f.Size
	}
	// hundreds of maps take long and show no more
	splits, _, err := input.Plan(files, max(j.block, size/25), j.program, j.sources)
	if err != nil {
		return nil, nil, err
	}
	cuts := NewCuts(splits)
	out := func(reduce bool, task int) string { return filepath.Join(dir, "out-"+PartName(reduce, task)) }
	parts := map[string]string{}
	keep := func(dir string, list []Part) error {
		for _, p := range list {
			b, err := os.ReadFile(filepath.Join(dir, p.Name))
			if err != nil {
				return err
			}
			parts[p.Name] = string(b)
		}
		return nil
	}
	counters := mapreduce.NewCounters()
	var lock sync.Mutex
	outputs := make([]*Output, len(splits))
	err = j.each(len(splits), func(i int) error {
		o, stats, err := Map(ctx, MapConfig{
			Config: Config{Program: j.program, Task: i, Buffer: j.buffer, Written: j.written,
				Local: filepath.Join(dir, fmt.Sprintf("m%d", i)), Out: out(false, i)},
			Split: splits[i], Parts: j.reduces, Cuts: cuts, Sources: j.sources,
		})
		if err != nil {
			return err
		}
		lock.Lock()
		defer lock.Unlock()
		counters.Merge(stats.Counters)
		outputs[i] = o
		if j.reduces == 0 {
			return keep(out(false, i), stats.Parts)
		}
		return nil
	})
	if err == nil {
		err = j.each(j.reduces, func(i int) error {
			stats, err := Reduce(ctx, ReduceConfig{
				Config: Config{Program: j.program, Task: i, Buffer: j.buffer, Written: j.written,
					Local: filepath.Join(dir, fmt.Sprintf("r%d", i)), Out: out(true, i)},
				Maps:  len(splits),
				Fetch: func(_ context.Context, m int) (*Output, error) { return outputs[m], nil },
			})
			if err != nil {
				return err
			}
			lock.Lock()
			defer lock.Unlock()
			counters.Merge(stats.Counters)
			return keep(out(true, i), stats.Parts)
		})
	}
	if err != nil {
		return nil, nil, err
	}
	for i := 0; j.reduces == 0 && i < len(splits); i++ { // of a job without reduces they are joined
		parts["all"] += parts[PartName(false, i)]
		delete(parts, PartName(false, i))
	}
	return parts, counters, nil
}

// each runs f for 0 to n-1 by several goroutines, the last number first.
func (j job) each(n int, f func(int) error) error {
	numbers := make(chan int, n)
	for i := n - 1; i >= 0; i-- {
		numbers <- i
	}
	close(numbers)
	errs := make(chan error, max(j.workers, 1))
	for range max(j.workers, 1) {
		go func() {
			var first error
			for i := range numbers {
				if err := f(i); err != nil && first == nil {
					first = err
				}
			}
			errs <- first
		}()
	}
	var first error
	for range max(j.workers, 1) {
		if err := <-errs; err != nil && first == nil {
			first = err
		}
	}
	return first
}

func count(c *mapreduce.Counters, name string) int64 { return c.Get(mapreduce.TaskGroup, name) }

func leftBehind(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, e := range entries {
		have = append(have, e.Name())
	}
	if strings.Join(have, " ") != strings.Join(want, " ") {
		t.Errorf("%s holds %v, want %v", dir, have, want)
	}
}
