package task

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/files/codec"
	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/mapreduce"
)

// input is what a mapper may know of the piece at hand.
func (m *mapping) input() mapreduce.Input {
	p := m.piece
	return mapreduce.Input{Path: p.Path, Start: p.Start, Length: p.End - p.Start, Name: m.c.sourceName(p)}
}

// openPlain lets l read the piece at hand of a file that is not compressed.
func (m *mapping) openPlain(l *lines, f *fault.File) error {
	if at := l.from(m.piece); at > 0 {
		if _, err := f.Seek(at, io.SeekStart); err != nil {
			return err
		}
	}
	return l.open(f, m.piece)
}

// openPacked lets l read the piece at hand of a compressed file.
func (m *mapping) openPacked(l *lines, f *fault.File, kind codec.Kind) (*codec.Reader, error) {
	r, err := m.unpack(f, kind)
	if err != nil {
		return nil, err
	}
	if err := l.unpack(r, m.piece); err != nil {
		r.Close()
		return nil, err
	}
	if w := m.piece.Window; w > 0 {
		l.end = min(l.end, w)
	}
	return r, nil
}

func (m *mapping) unpack(f *fault.File, kind codec.Kind) (*codec.Reader, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return codec.Open(kind, f, info.Size(), m.piece.Start, min(m.piece.End, info.Size())), nil
}

// formatted maps the records of a piece of a file of that format.
func (m *mapping) formatted(l *lines, f *fault.File, kind codec.Kind, form mapreduce.InputFormat, out mapreduce.Emitter) (err error) {
	defer func() {
		var user *UserError
		if err != nil && !errors.As(err, &user) && m.broken == nil && m.attempt.err() == nil {
			err = fmt.Errorf("input %q: %w", m.piece.Path, fault.Bare(err))
		}
	}()
	in := &pieceReader{m: m, in: m.input()}
	if closer, err := in.open(l, f, kind, form.Cutting()); err != nil {
		return err
	} else if closer != nil {
		defer closer.Close()
	}
	m.where, m.spot, m.block = m.inRecord, func() Spot { return Spot{Path: m.piece.Path, At: m.at} }, false
	m.at, m.first, m.line = 0, in.in.Start, nil
	header := int64(mapreduce.LineEnds(in.header)) // which stands in front of the piece
	return m.call(func() error {
		records, err := form.Open(in, in.in)
		if err != nil {
			return err
		}
		if lines, ok := records.(mapreduce.LineReader); ok {
			m.line = func() int64 { return lines.Line() - header }
		}
		return m.each(records, in, out)
	})
}

// inRecord names the record at hand by its number.
func (m *mapping) inRecord() string {
	return fmt.Sprintf("map of %s at %s", m.piece.Path, m.numbered())
}

func (m *mapping) numbered() string {
	text := fmt.Sprintf("record %d", m.at)
	if m.piece.Start > 0 {
		text += fmt.Sprintf(" after byte %d", m.piece.Start)
	}
	if line, known := m.lineOf(); known {
		text += fmt.Sprintf(", line %d", line)
	}
	return text
}

// lineOf is the line of the file at which the record at hand begins. It reads all that lies before
// the piece, so it is for errors only.
func (m *mapping) lineOf() (line int64, known bool) {
	if m.line == nil {
		return 0, false
	}
	line = m.line()
	if m.piece.Start == 0 {
		return line, true
	}
	f, err := fault.OpenFile(m.piece.Path)
	if err != nil || m.packed {
		return 0, false
	}
	defer f.Close()
	buf := make([]byte, readSize)
	cr := false
	for at := int64(0); at < m.first; {
		n, err := f.ReadAt(buf[:min(int64(len(buf)), m.first-at)], at)
		for _, c := range buf[:n] {
			if c == '\n' || cr {
				line++ // CR LF is one end
			}
			cr = c == '\r'
		}
		if at += int64(n); err != nil && at < m.first {
			return 0, false
		}
	}
	if cr {
		line++
	}
	return line, true
}

// each maps records. m.at counts them.
func (m *mapping) each(records mapreduce.RecordReader, in *pieceReader, out mapreduce.Emitter) error {
	for {
		key, value, err := records.Next()
		m.count.mapInBytes += in.got
		in.got = 0
		if err == io.EOF {
			return nil
		}
		m.at++
		var bad *mapreduce.BadRecord
		if err != nil && !errors.As(err, &bad) {
			return err
		}
		if err := m.err(); err != nil {
			return err
		}
		m.meter.beat()
		if m.passes() {
			continue
		}
		if bad != nil {
			return &UserError{Where: fmt.Sprintf("input %q: %s", m.piece.Path, m.numbered()), Err: bad, Spot: m.attempt.at()}
		}
		m.count.mapIn++
		if err := m.mapper.Map(key, value, out); err != nil {
			return m.failed(err)
		}
		if m.broken != nil {
			return m.broken
		}
		if w := m.piece.Window; w > 0 && in.all > w {
			return nil
		}
	}
}

// pieceReader yields the whole records of a piece, and in front of them the header where there is one.
type pieceReader struct {
	m      *mapping
	in     mapreduce.Input // where the records start
	header []byte
	l      *lines // nil = from src
	src    io.Reader
	packed *codec.Reader // nil = it is not compressed
	block  []byte
	at     int64 // in a file that is not compressed
	got    int64 // bytes since they were counted last
	all    int64
}

func (r *pieceReader) open(l *lines, f *fault.File, kind codec.Kind, cutting mapreduce.Cutting) (closer interface{ Close() }, err error) {
	p := r.m.piece
	if cutting == mapreduce.AtLines {
		r.l = l
		if kind == codec.None {
			err = r.m.openPlain(l, f)
		} else if r.packed, err = r.m.openPacked(l, f, kind); err == nil {
			closer = r.packed
		}
		r.in.Start = l.pos
		return closer, err
	}
	if kind != codec.None {
		if r.packed, err = r.m.unpack(f, kind); err == nil {
			r.src, closer = r.packed, r.packed
		}
		return closer, err
	}
	r.src, r.at = io.NewSectionReader(f, p.Start, p.End-p.Start), p.Start
	if cutting == mapreduce.AtRowsWithHeader && p.Start > 0 {
		r.header, err = input.HeaderOf(f)
		r.src = io.MultiReader(bytes.NewReader(r.header), r.src)
	}
	return nil, err
}

// Read reads bytes of whole records.
func (r *pieceReader) Read(p []byte) (n int, err error) {
	if err := r.m.err(); err != nil {
		return 0, err
	}
	if r.l != nil {
		if len(r.block) == 0 {
			block, at, ok, err := r.l.block()
			if err != nil {
				return 0, err
			}
			if !ok {
				return 0, io.EOF
			}
			r.block = block
			r.got += r.l.pos - at
			r.all += r.l.pos - at
		}
		n = copy(p, r.block)
		r.block = r.block[n:]
		r.m.progress(r.l)
		return n, nil
	}
	n, err = r.src.Read(p)
	skip := min(len(r.header), n)
	r.header = r.header[skip:]
	r.at += int64(n - skip)
	r.got += int64(n - skip)
	r.all += int64(n - skip)
	if r.packed != nil {
		r.m.reached(r.packed.Offset())
	} else {
		r.m.reached(r.at)
		if must := r.m.piece.End; err == io.EOF && r.at < must {
			err = &endedError{r.at, must}
		}
	}
	return n, err
}
