package task

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/files/codec"
	"github.com/slackline/slackline/internal/worlds/engine/failure"
	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/mapreduce"
)

// MapConfig is a map attempt.
type MapConfig struct {
	Config
	Split   input.Split
	Parts   int            // reduce tasks; 0 = the map's output is the job's
	Cuts    *Cuts          // of a program with a total order
	Sources []input.Source `json:",omitempty"` // the job's inputs; none = one, of the program's format
}

// sourceName is the name of the input that a piece belongs to.
func (c *MapConfig) sourceName(p input.Piece) string {
	if p.Source < len(c.Sources) {
		return c.Sources[p.Source].Name
	}
	return ""
}

// Map runs a map attempt. Its output is a run in c.Local with a segment for each reduce, or,
// without reduces, a part file in c.Out and no run. An attempt that fails or is cancelled leaves
// neither directory.
func Map(ctx context.Context, c MapConfig) (out *Output, stats Stats, err error) {
	m := mapping{attempt: newAttempt(ctx, c.Config), c: &c}
	from := m.clock()
	defer func() {
		if err != nil {
			err = Clean(err, c.Local, c.Out)
		}
	}()
	if err = c.Program.Check(); err != nil {
		return nil, Stats{}, err
	}
	m.mapper, err = setUp(m.attempt, "map", c.Program.Mapper(c.Parts > 0))
	if err != nil {
		return nil, Stats{}, err
	}
	if c.Parts == 0 {
		err = m.toText()
	} else {
		out, err = m.toRun()
	}
	if err != nil {
		return nil, Stats{}, err
	}
	m.meter.set(1)
	written := m.count.outBytes
	if out != nil {
		written = int64(out.Size())
	}
	return out, m.stats(from, 0, m.count.mapInBytes-m.grown, written), nil
}

// Clean removes what a failed attempt has made and returns its error.
func Clean(err error, dirs ...string) error {
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		if e := fault.DeleteAll(dir); e != nil {
			err = fmt.Errorf("%w; and what it wrote could not be removed: %v", err, e)
		}
	}
	return err
}

type mapping struct {
	*attempt
	c      *MapConfig
	mapper mapreduce.Mapper
	piece  input.Piece  // being read
	at     int64        // offset of the record being mapped
	read   int64        // bytes of pieces that are done
	packed bool         // the piece is of a compressed file
	first  int64        // byte of the file at which the records of the piece begin
	line   func() int64 // of the record at hand, counted from there; nil = it is not known
	grown  int64        // how many bytes compressed pieces gained when they were unpacked
}

func (m *mapping) toText() error {
	t, err := createText(m.attempt, &m.c.Config, PartName(false, m.c.Task), &m.count.mapOut)
	if err != nil {
		return err
	}
	return t.close(m.all(t))
}

func (m *mapping) toRun() (*Output, error) {
	if err := fault.MakeDirs(m.c.Local); err != nil {
		return nil, err
	}
	var cuts [][]byte
	if m.c.Cuts != nil && m.c.Program.TotalOrder && m.c.Parts > 1 {
		var err error
		if cuts, err = m.c.Cuts.find(m.ctx, m.c); err != nil {
			return nil, err
		}
	}
	collector, err := newCollector(m.attempt, m.c, cuts)
	if err != nil {
		return nil, err
	}
	if err := m.all(collector); err != nil {
		return nil, err
	}
	var out *Output
	m.where = func() string { return "the end of the map" }
	err = m.call(func() (err error) { out, err = collector.finish(); return err })
	return out, err
}

// all maps every record of the split.
func (m *mapping) all(out mapreduce.Emitter) error {
	m.where = m.here
	var l lines
	for _, p := range m.c.Split.Pieces {
		m.piece = p
		m.user.Reading(m.input())
		before := m.count.mapInBytes
		if err := m.one(&l, out); err != nil {
			return err
		}
		m.read += p.End - p.Start
		if m.packed {
			m.grown += m.count.mapInBytes - before - (p.End - p.Start)
		}
	}
	m.spot, m.block = nil, false
	if err := m.err(); err != nil {
		return err
	}
	return tearDown(m.attempt, "map", m.mapper, out)
}

func (m *mapping) here() string { return fmt.Sprintf("map of %s at byte %d", m.piece.Path, m.at) }

// one maps the records of a piece.
func (m *mapping) one(l *lines, out mapreduce.Emitter) (err error) {
	f, err := fault.OpenFile(m.piece.Path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) { // it was there when the job began
			err = failure.As(failure.Permanent, fault.Bare(err))
		}
		return fmt.Errorf("input %q: %w", m.piece.Path, fault.Bare(err))
	}
	defer f.Close()
	if err := unchanged(&m.piece, f); err != nil {
		return err
	}
	defer func() {
		if m.attempt.err() != nil {
			return
		}
		if changed := unchanged(&m.piece, f); changed != nil {
			err = changed // whatever else failed
		}
	}()
	kind, err := codec.Detect(f)
	if err != nil {
		return fmt.Errorf("input %q: %w", m.piece.Path, fault.Bare(err))
	}
	m.packed = kind != codec.None
	l.length = int64(m.c.Program.Records.Length)
	l.most = m.c.LongestLine()
	if form, err := input.FormatOf(m.c.Program, m.c.Sources, m.piece.Source); err != nil {
		return fmt.Errorf("input %q: %w", m.piece.Path, err)
	} else if form != nil {
		return m.formatted(l, f, kind, form, out)
	}
	if kind == codec.None {
		err = m.openPlain(l, f)
	} else {
		packed, e := m.openPacked(l, f, kind)
		if err = e; e == nil {
			defer packed.Close()
		}
	}
	if err != nil {
		return fmt.Errorf("input %q: %w", m.piece.Path, fault.Bare(err))
	}
	m.spot, m.block = func() Spot { return Spot{Path: m.piece.Path, At: m.at} }, false
	if parts, ok := m.mapper.(PartMapper); ok && l.length == 0 {
		m.where, m.spot, m.block = m.inBlock, nil, true
		return m.call(func() error { return m.parts(l, parts, out) })
	}
	if blocks, ok := m.mapper.(mapreduce.BlockMapper); ok && m.skip == nil {
		m.where, m.spot, m.block = m.inBlock, nil, true
		return m.call(func() error { return m.blocks(l, blocks, out) })
	}
	return m.call(func() error { return m.records(l, out) })
}

func (m *mapping) inBlock() string {
	return fmt.Sprintf("map of %s in the records from byte %d", m.piece.Path, m.at)
}

// blocks maps many lines at a time.
func (m *mapping) blocks(l *lines, mapper mapreduce.BlockMapper, out mapreduce.Emitter) error {
	for {
		block, at, ok, err := l.block()
		if err != nil {
			return fmt.Errorf("input %q: %w", m.piece.Path, fault.Bare(err))
		}
		if !ok {
			return nil
		}
		if err := m.err(); err != nil {
			return err
		}
		m.at = at
		m.count.mapIn += l.records(block)
		m.count.mapInBytes += l.pos - at
		m.progress(l)
		if err := mapper.MapBlock(block, at, out); err != nil {
			return m.failed(err)
		}
		if m.broken != nil {
			return m.broken
		}
	}
}

// PartMapper is implemented by mappers that take lines in parts, as they come from the file.
type PartMapper interface {
	MapPart(part []byte, out mapreduce.Emitter) error
	EndLine(out mapreduce.Emitter) error // ends the last line of a file, which has no LF
}

// parts maps lines in parts.
func (m *mapping) parts(l *lines, mapper PartMapper, out mapreduce.Emitter) error {
	for {
		m.at = l.pos
		part, ok, err := l.part()
		if err != nil {
			return fmt.Errorf("input %q: %w", m.piece.Path, fault.Bare(err))
		}
		if err := m.err(); err != nil {
			return err
		}
		if ok {
			m.count.mapIn += int64(bytes.Count(part, []byte{'\n'}))
			m.count.mapInBytes += l.pos - m.at
			m.progress(l)
			err = mapper.MapPart(part, out)
		} else if l.within {
			m.count.mapIn++
			err = mapper.EndLine(out)
		}
		if err != nil {
			return m.failed(err)
		}
		if m.broken != nil || !ok {
			return m.broken
		}
	}
}

func (m *mapping) progress(l *lines) {
	at := l.pos
	if l.packed != nil {
		at = l.packed.Offset()
	}
	m.reached(at)
}

// reached says how far the piece at hand has been read.
func (m *mapping) reached(at int64) {
	done := m.read + min(at, m.piece.End) - m.piece.Start
	m.meter.set(float64(done) / float64(m.c.Split.Size))
}

func (m *mapping) records(l *lines, out mapreduce.Emitter) error {
	var buf [8]byte
	for {
		line, at, ok, err := l.next()
		if err != nil {
			return fmt.Errorf("input %q: %w", m.piece.Path, fault.Bare(err))
		}
		if !ok {
			return nil
		}
		if err := m.err(); err != nil {
			return err
		}
		m.at = at
		m.meter.beat()
		if m.passes() {
			continue
		}
		m.count.mapIn++
		m.count.mapInBytes += l.pos - at
		if m.count.mapIn%beatEvery == 0 {
			m.progress(l)
		}
		key, value := mapreduce.OffsetKey(&buf, at), line
		if l.length > 0 {
			n := m.c.Program.Records.Key
			key, value = line[:n], line[n:]
		}
		if err := m.mapper.Map(key, value, out); err != nil {
			return m.failed(err)
		}
		if m.broken != nil {
			return m.broken
		}
	}
}

// unchanged tells whether a file that has been opened is still the one that was found: other tasks
// may have read it before, or read it later, and what all of them made would belong to no input
// that there ever was.
func unchanged(p *input.Piece, f *fault.File) error {
	if p.Wrote == 0 {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("input %q: %w", p.Path, fault.Bare(err))
	}
	if info.Size() != p.FileSize {
		return failure.As(failure.Permanent, fmt.Errorf("input %q: it has changed since the job started: the file had %d bytes, and has %d", p.Path, p.FileSize, info.Size()))
	}
	if wrote := info.ModTime(); wrote.UnixNano() != p.Wrote {
		return failure.As(failure.Permanent, fmt.Errorf("input %q: it has changed since the job started: it was written at %s", p.Path, wrote.UTC().Format(time.RFC3339Nano)))
	}
	return nil
}
