package task

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/mapreduce"
)

// mergeFactor is how many runs are merged at once at most. More files than that are merged with
// their neighbours first, so that open files and their buffers stay few.
const mergeFactor = 64

// What else needs files: the process itself, and an attempt with its input, its output and the
// pipes of a command.
const (
	filesBesides     = 40
	filesBesidesEach = 12
)

// MergeFactor is how many runs an attempt may merge at once where so many run in a process that may
// open so many files.
func MergeFactor(files, attempts int) int {
	each := (files-filesBesides)/max(attempts, 1) - filesBesidesEach
	return min(max(each, 4), mergeFactor)
}

// spiller writes runs below a directory and merges them.
type spiller struct {
	a        *attempt
	dir      string
	parts    int
	combiner mapreduce.Reducer // nil = none
	spills   []*Output         // in order
	made     int               // files
	factor   int               // runs that are merged at once
}

// write writes a run of what fill adds to it.
func (s *spiller) write(fill func(*runWriter) error) error {
	out, err := s.create(fill)
	if err == nil {
		s.spills = append(s.spills, out)
	}
	return err
}

func (s *spiller) create(fill func(*runWriter) error) (*Output, error) {
	w, err := createRun(filepath.Join(s.dir, fmt.Sprintf("run-%d", s.made)), s.parts)
	if err != nil {
		return nil, err
	}
	s.made++
	s.a.meter.beat()
	if err := fill(w); err != nil {
		w.abandon()
		return nil, err
	}
	out, records, err := w.finish()
	s.a.count.spilled += records
	return out, err
}

// join merges all spills into one run.
func (s *spiller) join() (*Output, error) {
	err := s.a.sorting(func() error { return s.reduceTo(1) })
	if err != nil {
		return nil, err
	}
	return s.spills[0], nil
}

// reduceTo merges neighbours until there are at most so many spills.
func (s *spiller) reduceTo(most int) error {
	for len(s.spills) > most {
		var merged []*Output
		for from := 0; from < len(s.spills); from += s.factor {
			part := s.spills[from:min(from+s.factor, len(s.spills))]
			if len(part) == 1 {
				merged = append(merged, part[0])
				continue
			}
			out, err := s.merge(part)
			if err != nil {
				return err
			}
			for _, o := range part {
				if err := fault.Delete(o.Path); err != nil {
					return err
				}
			}
			merged = append(merged, out)
		}
		s.spills = merged
	}
	return nil
}

func (s *spiller) merge(outs []*Output) (*Output, error) {
	files, err := openAll(outs)
	defer closeAll(files)
	if err != nil {
		return nil, err
	}
	return s.create(func(w *runWriter) error {
		for part := range s.parts {
			var runs []*run
			for i, o := range outs {
				if o.Segments[part].Length > 0 {
					runs = append(runs, openSpill(files[i], o.Segments[part]))
				}
			}
			if err := s.mergePart(part, runs, w); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *spiller) mergePart(part int, runs []*run, w *runWriter) error {
	if s.combiner != nil && len(runs) > 1 {
		return s.combine(part, runs, w)
	}
	m, err := newMerger(runs)
	if err != nil {
		return err
	}
	for n := 1; ; n++ {
		ok, err := m.next()
		if err != nil || !ok {
			return err
		}
		if err := w.add(part, m.top().key, m.top().val); err != nil {
			return err
		}
		if n%beatEvery == 0 {
			s.a.meter.beat()
			if err := s.a.err(); err != nil {
				return err
			}
		}
	}
}

// combine hands what the combiner makes of runs to another one.
func (s *spiller) combine(part int, runs []*run, w *runWriter) error {
	m, err := newMerger(runs)
	if err != nil {
		return err
	}
	to := &combined{a: s.a}
	to.to = func(value []byte) error { return w.add(part, to.key, value) }
	s.a.where, s.a.spot = to.where, nil
	g := &groups{a: s.a, m: m, seen: &s.a.count.combineIn, got: s.a.meter.beat}
	return s.a.call(func() error {
		return g.each(s.combiner, to, func(key []byte) { to.key = key })
	})
}

// combined takes what a combiner emits for one key.
type combined struct {
	a   *attempt
	key []byte
	to  func(value []byte) error
}

// Emit takes a record, which must have the combiner's own key.
func (c *combined) Emit(key, value []byte) error {
	if c.a.broken != nil {
		return c.a.broken
	}
	if !bytes.Equal(key, c.key) {
		return c.a.broke(fmt.Errorf("application %s: %s emitted the key %s; a combiner keeps its key", c.a.app, c.where(), quoted(key)))
	}
	c.a.count.combineOut++
	if err := c.to(value); err != nil {
		return c.a.broke(err)
	}
	return nil
}

func (c *combined) where() string { return "combine at key " + quoted(c.key) }

// quoted prints the start of a key.
func quoted(key []byte) string {
	if len(key) > 60 {
		return fmt.Sprintf("%q…", key[:60])
	}
	return fmt.Sprintf("%q", key)
}

// openSpill opens a run of this attempt itself: damage to it is the attempt's own failure.
func openSpill(f *fault.File, s Segment) *run {
	r := openRun(f, s)
	r.blame = func(err error) error { return fmt.Errorf("spill %s: %w", f.Name(), fault.Bare(err)) }
	return r
}

func openAll(outs []*Output) ([]*fault.File, error) {
	var files []*fault.File
	for _, o := range outs {
		f, err := fault.OpenFile(o.Path)
		if err != nil {
			return files, err
		}
		files = append(files, f)
	}
	return files, nil
}

func closeAll(files []*fault.File) {
	for _, f := range files {
		f.Close()
	}
}
