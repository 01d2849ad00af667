package task

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/mapreduce"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// mapFunc and reduceFunc make user code of functions.
type mapFunc func(key, value []byte, out mapreduce.Emitter) error

func (f mapFunc) Map(key, value []byte, out mapreduce.Emitter) error { return f(key, value, out) }

type reduceFunc func(key []byte, values mapreduce.Values, out mapreduce.Emitter) error

func (f reduceFunc) Reduce(key []byte, values mapreduce.Values, out mapreduce.Emitter) error {
	return f(key, values, out)
}

// closing fails at its end.
type closing struct{ words }

func (closing) Close(mapreduce.Emitter) error { panic("at the end") }

func TestUserErrorsNameThePlace(t *testing.T) {
	bad := errors.New("bad word")
	atTwo := func(f func() error) mapreduce.Mapper {
		return mapFunc(func(_, line []byte, out mapreduce.Emitter) error {
			if string(line) == "two" {
				return f()
			}
			return out.Emit(line, nil)
		})
	}
	broken := reduceFunc(func(key []byte, values mapreduce.Values, out mapreduce.Emitter) error {
		if string(key) == "three" {
			panic("no threes")
		}
		return out.Emit(key, nil)
	})
	plain := newMapper(mapreduce.Identity{})
	byLine := newMapper(mapFunc(func(_, line []byte, out mapreduce.Emitter) error { return out.Emit(line, nil) }))
	tests := map[string]struct {
		program mapreduce.Program
		reduces int
		want    string
	}{
		"map panics": {mapreduce.Program{NewMapper: newMapper(atTwo(func() error { panic("boom") }))}, 1,
			"application x: map of IN at byte 4 panicked: boom"},
		"map panics without reduces": {mapreduce.Program{NewMapper: newMapper(atTwo(func() error { panic("boom") }))}, 0,
			"application x: map of IN at byte 4 panicked: boom"},
		"map divides by nothing": {mapreduce.Program{NewMapper: newMapper(atTwo(func() error { _ = 1 / len(os.Args[:0]); return nil }))}, 1,
			"application x: map of IN at byte 4 panicked: runtime error: integer divide by zero"},
		"map fails": {mapreduce.Program{NewMapper: newMapper(atTwo(func() error { return bad }))}, 1,
			"application x: map of IN at byte 4 failed: bad word"},
		"set-up fails": {mapreduce.Program{NewMapper: func(*mapreduce.Context) (mapreduce.Mapper, error) { return nil, bad }}, 1,
			"application x: setting up map failed: bad word"},
		"close panics": {mapreduce.Program{NewMapper: newMapper(closing{})}, 1,
			"application x: the end of the map panicked: at the end"},
		"combine panics": {mapreduce.Program{NewMapper: byLine, NewCombiner: newReducer(broken)}, 1,
			`application x: combine at key "three" panicked: no threes`},
		"combine changes its key": {mapreduce.Program{NewMapper: byLine, NewCombiner: newReducer(reduceFunc(
			func(key []byte, _ mapreduce.Values, out mapreduce.Emitter) error {
				return out.Emit([]byte("other"), nil)
			}))}, 1,
			`application x: combine at key "one" emitted the key "other"; a combiner keeps its key`},
		"partitioner is out of range": {mapreduce.Program{NewMapper: plain, Partition: func([]byte, int) int { return 2 }}, 2,
			"application x: map of IN at byte 0: the partitioner chose part 2 of 2"},
		"reduce panics": {mapreduce.Program{NewMapper: byLine, NewReducer: newReducer(broken)}, 1,
			`application x: reduce of part 0 at key "three" panicked: no threes`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			in := write(t, dir, []string{"one\ntwo\nthree\nthree\nthree\n"})
			test.program.Name = "x"
			_, _, err := job{program: &test.program, block: 100, reduces: test.reduces}.run(t.Context(), dir, in)
			want := strings.ReplaceAll(test.want, "IN", in[0])
			if err == nil || err.Error() != want {
				t.Errorf("it says %v\nwant    %s", err, want)
			}
			left := []string{"in-000"}
			if strings.HasPrefix(name, "reduce") {
				left = append(left, "m0") // whose map output belongs to the engine
			}
			leftBehind(t, dir, left...)
			var user *UserError
			if strings.Contains(test.want, "panicked") && (!errors.As(err, &user) || len(user.Stack) == 0) {
				t.Error("the panic's stack is lost")
			}
			if strings.Contains(test.want, "bad word") && !errors.Is(err, bad) {
				t.Error("the user's error is lost")
			}
		})
	}
}

// A cancelled attempt stops at the next record and leaves nothing, even if its code never returns an error.
func TestCancelLeavesNothing(t *testing.T) {
	for name, reduces := range map[string]int{"map only": 0, "map": 1} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			in := write(t, dir, []string{strings.Repeat("x\n", 1000)})
			ctx, cancel := context.WithCancelCause(t.Context())
			why := errors.New("killed")
			n := 0
			p := mapreduce.Program{Name: "x", NewMapper: func(c *mapreduce.Context) (mapreduce.Mapper, error) {
				return mapFunc(func(key, value []byte, out mapreduce.Emitter) error {
					if n++; n == 10 {
						cancel(why)
						<-c.Done()
					}
					_ = out.Emit(value, nil)
					return nil
				}), nil
			}}
			_, _, err := job{program: &p, block: 1 << 20, reduces: reduces}.run(ctx, dir, in)
			if !errors.Is(err, why) {
				t.Errorf("it ends with %v, want the cause", err)
			}
			if n == 1000 {
				t.Error("it went on to the end")
			}
			leftBehind(t, dir, "in-000")
		})
	}
}

func TestCancelReduce(t *testing.T) {
	dir := t.TempDir()
	in := write(t, dir, []string{strings.Repeat("x\n", 100_000)})
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("killed")
	var seen int
	p := mapreduce.Program{Name: "x",
		NewMapper: newMapper(mapFunc(func(_, line []byte, out mapreduce.Emitter) error { return out.Emit(line, nil) })),
		NewReducer: func(c *mapreduce.Context) (mapreduce.Reducer, error) {
			return reduceFunc(func(key []byte, values mapreduce.Values, out mapreduce.Emitter) error {
				for values.Next() {
					if seen++; seen == 10 {
						cancel(why)
						<-c.Done()
					}
				}
				return out.Emit(key, nil)
			}), nil
		}}
	if _, _, err := (job{program: &p, block: 1 << 20, reduces: 1}).run(ctx, dir, in); !errors.Is(err, why) {
		t.Errorf("it ends with %v, want the cause", err)
	}
	if seen == 100_000 {
		t.Error("it went on to the end")
	}
	leftBehind(t, dir, "in-000", "m0")
}

// Map output that is gone or damaged is the map's fault, and found before user code sees any of it.
func TestFetchErrors(t *testing.T) {
	for name, spoil := range map[string]func(string) error{
		"gone": os.Remove,
		"cut":  func(path string) error { return os.Truncate(path, 5) },
		"bit flipped": func(path string) error {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			b[len(b)/2] ^= 1
			return os.WriteFile(path, b, 0o666)
		},
	} {
		for _, buffer := range []int{0, 1} { // in memory, by disk
			t.Run(name, func(t *testing.T) {
				dir := t.TempDir()
				in := write(t, dir, []string{"one two three four"})
				out, _, err := Map(t.Context(), MapConfig{
					Config: Config{Program: programs["list"], Local: filepath.Join(dir, "m")},
					Split:  Cut([]input.File{{Path: in[0], Size: 18}}, 100)[0], Parts: 1,
				})
				if err != nil {
					t.Fatal(err)
				}
				if err := spoil(out.Path); err != nil {
					t.Fatal(err)
				}
				_, err = Reduce(t.Context(), ReduceConfig{
					Config: Config{Program: programs["list"], Buffer: buffer, Local: filepath.Join(dir, "r"), Out: filepath.Join(dir, "o")},
					Maps:   1, Fetch: func(context.Context, int) (*Output, error) { return out, nil },
				})
				var fetch *FetchError
				if !errors.As(err, &fetch) || fetch.Map != 0 || fetch.Output != out {
					t.Errorf("reduce says %v, want a FetchError for map 0", err)
				}
				leftBehind(t, dir, "in-000", "m")
			})
		}
	}
}

func TestInputThatGoesAway(t *testing.T) {
	dir := t.TempDir()
	_, _, err := Map(t.Context(), MapConfig{
		Config: Config{Program: programs["list"], Local: filepath.Join(dir, "m")},
		Split:  input.Split{Pieces: []input.Piece{{Path: filepath.Join(dir, "gone"), End: 5}}, Size: 5}, Parts: 1,
	})
	if err == nil || !strings.HasPrefix(err.Error(), "input ") || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("map of a file that is gone says %v", err)
	}
	leftBehind(t, dir)
}

// What user code starts may write beside the part from its first moment on.
func TestReduceBeginsWithItsDirectory(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	p := &mapreduce.Program{Name: "x", NewMapper: newMapper(mapreduce.Identity{}), NewReducer: func(*mapreduce.Context) (mapreduce.Reducer, error) {
		_, err := os.Stat(out)
		return reduceFunc(func([]byte, mapreduce.Values, mapreduce.Emitter) error { return nil }), err
	}}
	if _, err := Reduce(t.Context(), ReduceConfig{Config: Config{Program: p, Local: filepath.Join(dir, "local"), Out: out}}); err != nil {
		t.Error(err)
	}
}

// A mapper that fails behind a spill is said to, though a combiner ran meanwhile.
func TestMapsFailBehindCombiners(t *testing.T) {
	fails := mapFunc(func(_, line []byte, out mapreduce.Emitter) error {
		for range 200 {
			if err := out.Emit(line, line); err != nil || string(line) == "bad" {
				return errors.New("no room for bad lines")
			}
		}
		return nil
	})
	p := &mapreduce.Program{Name: "x", NewMapper: newMapper(fails), NewCombiner: newReducer(list{}), NewReducer: newReducer(list{})}
	dir := t.TempDir()
	_, _, err := (job{program: p, block: 1 << 20, reduces: 1, buffer: 600}).run(t.Context(), dir, write(t, dir, []string{"good\nfine\nbad\n"}))
	if err == nil || !strings.Contains(err.Error(), "no room") || !strings.Contains(err.Error(), "in-000 at byte 10 failed") {
		t.Errorf("it says %v", err)
	}
}
