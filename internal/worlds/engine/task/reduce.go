package task

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/units"
)

// ReduceConfig is a reduce attempt. Its task is the partition that it reduces.
type ReduceConfig struct {
	Config
	Maps  int
	Parts int // reduce tasks
	// Fetch returns the output of a map task, and waits until there is one.
	Fetch func(ctx context.Context, m int) (*Output, error) `json:"-"`
}

// FetchError says that the output of a map task cannot be read, so that the map has to run again.
type FetchError struct {
	Map    int
	Output *Output
	Err    error
}

// Error is the error as one sentence.
func (e *FetchError) Error() string {
	return fmt.Sprintf("output of map task %d in %s: %v", e.Map, e.Output.Path, fault.Bare(e.Err))
}

// Unwrap returns the cause.
func (e *FetchError) Unwrap() error { return e.Err }

// Reduce runs a reduce attempt and leaves a part file in c.Out. It merges map output where it lies;
// of many maps it copies it first, into memory what fits the buffer, into runs in c.Local what does
// not. Every byte is checked before user code sees it. An attempt that fails or is cancelled leaves
// neither directory, one that succeeds leaves c.Out.
func Reduce(ctx context.Context, c ReduceConfig) (stats Stats, err error) {
	r := reducing{attempt: newAttempt(ctx, c.Config), c: &c}
	r.where = func() string { return fmt.Sprintf("reduce of part %d", c.Task) }
	if err := c.Program.Check(); err != nil {
		return Stats{}, err
	}
	from := r.clock()
	defer func() {
		if err != nil {
			err = Clean(err, c.Local, c.Out)
		} else if c.Maps > c.mergeFactor() {
			err = fault.DeleteAll(c.Local)
		}
	}()
	if c.Maps > c.mergeFactor() { // of fewer nothing is copied
		if err := fault.MakeDirs(c.Local); err != nil {
			return Stats{}, err
		}
	}
	r.spiller = spiller{a: r.attempt, dir: c.Local, parts: 1, factor: c.mergeFactor()}
	defer func() { closeAll(r.files) }()
	if err := r.shuffle(); err != nil {
		return Stats{}, err
	}
	shuffle := r.clock().Sub(from) - r.sort
	r.meter.set(1. / 3)
	if err := r.sorting(func() error { return r.reduceTo(r.factor) }); err != nil {
		return Stats{}, err
	}
	r.meter.set(2. / 3)
	if err := r.run(); err != nil {
		return Stats{}, err
	}
	r.meter.set(1)
	return r.stats(from, max(shuffle, units.Duration(0)), r.count.shuffled, r.count.outBytes), nil
}

type reducing struct {
	*attempt
	spiller
	c      *ReduceConfig
	files  []*fault.File // map output that is merged where it lies
	direct []*run        // from it
	memory [][]byte      // segments of the last maps, in order; those before lie in runs
	held   int           // bytes of them
	total  int64         // records
}

// shuffle fetches the segment of every map, in order.
func (r *reducing) shuffle() error {
	for m := range r.c.Maps {
		if err := r.err(); err != nil {
			return err
		}
		out, err := r.c.Fetch(r.ctx, m)
		if err != nil {
			return err
		}
		seg := out.Segments[r.c.Task]
		if seg.Length > 0 {
			fetch := r.fetch
			if r.c.Maps <= r.factor {
				fetch = r.join
			}
			if err := fetch(m, out, seg); err != nil {
				return err
			}
		}
		r.count.shuffled += seg.Length
		r.total += seg.Records
		r.meter.set(float64(m+1) / float64(3*r.c.Maps))
	}
	return nil
}

// join lets a segment be merged where it lies.
func (r *reducing) join(m int, out *Output, seg Segment) error {
	f, err := fault.OpenFile(out.Path)
	if err != nil {
		return &FetchError{m, out, err}
	}
	from := openRun(f, seg)
	from.blame = func(err error) error { return &FetchError{m, out, err} }
	r.files, r.direct = append(r.files, f), append(r.direct, from)
	return nil
}

// fetch copies a segment.
func (r *reducing) fetch(m int, out *Output, seg Segment) error {
	if int64(r.held)+seg.Length > int64(r.c.buffer()) && r.held > 0 {
		if err := r.sorting(r.flush); err != nil {
			return err
		}
	}
	f, err := fault.OpenFile(out.Path)
	if err != nil {
		return &FetchError{m, out, err}
	}
	defer f.Close()
	if seg.Length > int64(r.c.buffer()) {
		return r.store(m, out, seg, f)
	}
	b, err := readSegment(f, seg)
	if err != nil {
		return &FetchError{m, out, err}
	}
	r.memory = append(r.memory, b)
	r.held += len(b)
	return nil
}

// flush merges what is in memory into a run.
func (r *reducing) flush() error {
	err := r.write(func(w *runWriter) error {
		return r.mergePart(0, r.memoryRuns(), w)
	})
	r.memory, r.held = nil, 0
	return err
}

func (r *reducing) memoryRuns() []*run { return each.Of(r.memory, memoryRun) }

// store writes a segment that is too large for memory into a run.
func (r *reducing) store(m int, out *Output, seg Segment, f io.ReaderAt) error {
	return r.write(func(w *runWriter) error {
		from := openRun(f, seg)
		for n := 1; ; n++ {
			ok, err := from.next()
			if err != nil {
				return &FetchError{m, out, err}
			}
			if !ok {
				return nil
			}
			if err := w.add(0, from.key, from.val); err != nil {
				return err
			}
			if n%beatEvery == 0 {
				r.meter.beat()
				if err := r.attempt.err(); err != nil {
					return err
				}
			}
		}
	})
}

// run reduces.
func (r *reducing) run() (err error) {
	t, err := createText(r.attempt, &r.c.Config, PartName(true, r.c.Task), &r.count.out)
	if err != nil {
		return err
	}
	defer func() { err = t.close(err) }()
	// behind the directory: a command may write there at once
	reducer, err := setUp(r.attempt, "reduce", r.c.Program.Reducer())
	if err != nil {
		return err
	}
	files, err := openAll(r.spills)
	defer closeAll(files)
	if err != nil {
		return err
	}
	runs := r.direct
	for i, f := range files {
		runs = append(runs, openSpill(f, r.spills[i].Segments[0]))
	}
	m, err := newMerger(append(runs, r.memoryRuns()...))
	if err != nil {
		return err
	}
	g := &groups{a: r.attempt, m: m, size: r.c.Program.Group, seen: &r.count.reduceIn, got: func() {
		r.meter.set(2./3 + float64(r.count.reduceIn)/float64(3*r.total))
	}}
	if r.c.Program.Reducer() == nil {
		return r.pass(g, t)
	}
	r.where = func() string { return fmt.Sprintf("reduce of part %d at key %s", r.c.Task, quoted(g.key)) }
	r.spot = func() Spot { return Spot{Key: string(g.key)} }
	g.skips = true
	err = r.call(func() error {
		return g.each(reducer, t, func([]byte) { r.count.groups++ })
	})
	r.spot = nil
	if err != nil {
		return err
	}
	return tearDown(r.attempt, "reduce", reducer, t)
}

// pass lets all records pass as they are.
func (r *reducing) pass(g *groups, t *text) error {
	for {
		if r.count.reduceIn%beatEvery == 0 {
			if err := r.attempt.err(); err != nil {
				return err
			}
			if r.total > 0 {
				g.got()
			}
		}
		ok, err := g.m.next()
		if err != nil || !ok {
			return err
		}
		if key := g.group(); r.count.reduceIn == 0 || !bytes.Equal(key, g.key) {
			r.count.groups++
			g.key = append(g.key[:0], key...)
		}
		r.count.reduceIn++
		top := g.m.top()
		if err := t.Emit(top.key, top.val); err != nil {
			return err
		}
	}
}
