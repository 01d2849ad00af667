package task

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sort"
	"sync"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/files/codec"
	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/mapreduce"
)

// Cuts are the keys at which a job with a total order is cut into parts. They follow from the
// input, the program and the number of parts alone: not from the size of blocks, nor from which
// attempt asks first. So attempts in other processes may find them again.
type Cuts struct {
	Files []input.Piece // all input, whole files

	lock  sync.Mutex
	found bool
	keys  [][]byte // one less than parts, ascending
}

// NewCuts returns the cuts of a job with these splits. They are looked for when the first map needs them.
func NewCuts(splits []input.Split) *Cuts {
	c := &Cuts{}
	for _, s := range splits {
		for _, p := range s.Pieces {
			if n := len(c.Files); n > 0 && p.Start > 0 && c.Files[n-1].Path == p.Path {
				c.Files[n-1].End = p.End
			} else {
				c.Files = append(c.Files, p)
			}
		}
	}
	return c
}

const (
	sampleWindows = 64       // places at which the input is looked at
	sampleWindow  = 32 << 10 // bytes at each
	sampleFrom    = 16       // places in a compressed file
	sampleKeys    = 16 << 20 // bytes of keys that are kept at most
)

// sample returns what to look at: windows of files of lines or of records of a fixed length, evenly
// spread over all of them, and the beginnings of pieces of all other files.
func (c *Cuts) sample(m *MapConfig) (input.Split, error) {
	var even []input.Piece
	var others input.Split
	for _, f := range c.Files {
		starts, err := beginnings(f, m)
		if err != nil {
			return input.Split{}, fmt.Errorf("input %q: %w", f.Path, fault.Bare(err))
		}
		if starts == nil {
			even = append(even, f)
		}
		for i, p := range starts {
			p.Window = int64(sampleWindows*sampleWindow/len(c.Files)/len(starts) + 1)
			if p.End = f.End; i+1 < len(starts) {
				p.End = starts[i+1].Start
			}
			others.Pieces = append(others.Pieces, p)
			others.Size += p.End - p.Start
		}
	}
	s := windows(even)
	return input.Split{Pieces: append(s.Pieces, others.Pieces...), Size: s.Size + others.Size}, nil
}

// beginnings returns where pieces of a file start of which windows cannot lie anywhere, nil if they
// can. They do not depend on the size of blocks.
func beginnings(f input.Piece, m *MapConfig) ([]input.Piece, error) {
	form, err := input.FormatOf(m.Program, m.Sources, f.Source)
	if err != nil {
		return nil, err
	}
	src, err := fault.OpenFile(f.Path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	kind, err := codec.Detect(src)
	if err != nil {
		return nil, err
	}
	lines := form == nil || form.Cutting() == mapreduce.AtLines
	if lines && kind == codec.None {
		return nil, nil
	}
	all := []input.Piece{f.Part(0, 0)}
	if lines && kind != codec.Gzip && m.Program.Records.Length == 0 {
		cuts, err := kind.Cuts(src, f.End, max(f.End/sampleFrom, sampleWindow))
		if err != nil {
			return nil, err
		}
		for _, at := range cuts {
			all = append(all, f.Part(at, 0))
		}
	}
	return all, nil
}

// windows returns windows of the files, evenly spread.
func windows(files []input.Piece) (s input.Split) {
	total := int64(0)
	for _, f := range files {
		total += f.End
	}
	add := func(p input.Piece) {
		s.Pieces = append(s.Pieces, p)
		s.Size += p.End - p.Start
	}
	if total <= sampleWindows*sampleWindow {
		for _, f := range files {
			add(f)
		}
		return s
	}
	before := int64(0) // bytes of the files before
	window := int64(0)
	at := func(i int64) int64 { return i * (total - sampleWindow) / (sampleWindows - 1) }
	for _, f := range files {
		for ; window < sampleWindows && at(window) < before+f.End; window++ {
			from := at(window) - before
			add(f.Part(from, min(from+sampleWindow, f.End)))
		}
		before += f.End
	}
	return s
}

// find returns the cuts. If they cannot be found it is the attempt's failure, and the next one tries again.
func (c *Cuts) find(ctx context.Context, m *MapConfig) ([][]byte, error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.found {
		return c.keys, nil
	}
	trial := *m
	var err error
	if trial.Split, err = c.sample(m); err != nil {
		return nil, err
	}
	t := mapping{attempt: newAttempt(ctx, m.Config), c: &trial}
	if t.mapper, err = setUp(t.attempt, "map", m.Program.NewMapper); err != nil {
		return nil, err
	}
	s := sampler{a: t.attempt, group: m.Program.Group}
	if err := t.all(&s); err != nil {
		return nil, err
	}
	slices.SortFunc(s.keys, bytes.Compare)
	c.found = true
	for i := 1; i < m.Parts && len(s.keys) > 0; i++ {
		c.keys = append(c.keys, s.keys[i*len(s.keys)/m.Parts])
	}
	return c.keys, nil
}

// sampler takes the keys that a mapper emits for a sample.
type sampler struct {
	a     *attempt
	group func([]byte) int
	keys  [][]byte
	bytes int
}

// Emit keeps the key.
func (s *sampler) Emit(key, _ []byte) error {
	if err := s.a.err(); err != nil {
		return s.a.broke(err)
	}
	if s.group != nil {
		key = groupOf(key, s.group)
	}
	if s.bytes += len(key); s.bytes <= sampleKeys {
		s.keys = append(s.keys, bytes.Clone(key))
	}
	return nil
}

// cutPart returns the part of a key: how many cuts are not above it.
func cutPart(cuts [][]byte, key []byte) int {
	return sort.Search(len(cuts), func(i int) bool { return bytes.Compare(cuts[i], key) > 0 })
}
