package task

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"path/filepath"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/files/codec"
	"github.com/slackline/slackline/internal/worlds/engine/format"
	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/mapreduce"
)

// PartName is the name of a part file: part-m-00000 of a job without reduces, part-r-00000 of others.
func PartName(reduce bool, task int) string {
	if reduce {
		return fmt.Sprintf("part-r-%05d", task)
	}
	return fmt.Sprintf("part-m-%05d", task)
}

// text writes a part file.
type text struct {
	a       *attempt
	f       *fault.File
	sum     uint32 // CRC32C of what was written
	buf     []byte
	raw     bool
	form    mapreduce.OutputFormat // nil = text, or raw
	packer  io.WriteCloser         // compresses; nil = nothing does
	sync    bool
	records *int64
}

// Written is what a job file says of how part files are written.
type Written struct {
	Format   *format.Spec `json:"format,omitempty"`   // nil = the program's
	Compress string       `json:"compress,omitempty"` // gzip or zstd; empty = not at all
}

// Check says in one sentence what cannot be.
func (w *Written) Check() error {
	if w.Format != nil {
		if _, err := w.Format.Output(); err != nil {
			return err
		}
	}
	_, err := codec.ByName(w.Compress)
	return err
}

// formOf is the format of part files; nil = text, or with raw nothing between keys and values.
func (c *Config) formOf() (form mapreduce.OutputFormat, raw bool, err error) {
	form, raw = c.Program.Output, c.Program.Raw
	if c.Written.Format != nil {
		form, err = c.Written.Format.Output()
		raw = false
	}
	if form == (mapreduce.Raw{}) {
		form, raw = nil, true
	}
	return form, raw, err
}

var _ mapreduce.Emitter = (*text)(nil)

// createText makes the directory for part files and the one in it.
func createText(a *attempt, c *Config, name string, records *int64) (*text, error) {
	dir := c.Out
	if err := fault.MakeDirs(dir); err != nil {
		return nil, err
	}
	kind, err := codec.ByName(c.Written.Compress)
	if err != nil {
		return nil, err
	}
	form, raw, err := c.formOf()
	if err != nil {
		return nil, err
	}
	f, err := fault.CreateFile(filepath.Join(dir, name+kind.Extension()))
	if err != nil {
		return nil, err
	}
	t := &text{a: a, f: f, raw: raw, form: form, sync: c.Sync, records: records}
	if kind != codec.None {
		if t.packer, err = kind.NewWriter((*partFile)(t)); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	if form != nil {
		t.buf = form.Begin(nil)
	}
	return t, nil
}

// Emit writes key TAB value LF; of a nil key or value neither it nor the TAB, of both nothing. Raw
// output has neither TAB nor LF.
func (t *text) Emit(key, value []byte) error {
	if t.a.broken != nil {
		return t.a.broken
	}
	if *t.records%stopEvery == 0 {
		if err := t.a.err(); err != nil {
			return t.a.broke(err)
		}
	}
	*t.records++
	if t.form != nil {
		return t.append(key, value)
	}
	if key == nil && value == nil {
		return nil
	}
	if t.buf == nil {
		t.buf = make([]byte, 0, bufferSize+4096)
	}
	t.buf = append(t.buf, key...)
	if t.raw {
		t.buf = append(t.buf, value...)
		return t.full()
	}
	if key != nil && value != nil {
		t.buf = append(t.buf, '\t')
	}
	t.buf = append(append(t.buf, value...), '\n')
	return t.full()
}

// full writes the buffer if it is full.
func (t *text) full() error {
	if len(t.buf) >= bufferSize {
		if err := t.flush(); err != nil {
			return t.a.broke(err)
		}
	}
	return nil
}

// append writes a record in the format of the output.
func (t *text) append(key, value []byte) error {
	buf, err := t.form.Append(t.buf, key, value)
	if err != nil {
		return t.a.broke(fmt.Errorf("output: record %d with the key %s: %w", *t.records, quoted(key), err))
	}
	t.buf = buf
	return t.full()
}

func (t *text) flush() (err error) {
	if t.packer != nil {
		_, err = t.packer.Write(t.buf)
	} else {
		_, err = (*partFile)(t).Write(t.buf)
	}
	t.buf = t.buf[:0]
	t.a.meter.beat()
	return err
}

// partFile is the file beneath, whose bytes are counted and summed.
type partFile text

// Write writes to the file.
func (t *partFile) Write(b []byte) (int, error) {
	n, err := t.f.Write(b)
	t.sum = crc32.Update(t.sum, castagnoli, b[:n])
	t.a.count.outBytes += int64(n)
	return n, err
}

// close ends the file. After an error it only closes it.
func (t *text) close(err error) error {
	if err == nil {
		err = t.flush()
	}
	if t.packer != nil {
		if e := t.packer.Close(); err == nil {
			err = e
		}
	}
	if err == nil && t.sync {
		err = t.f.Sync()
	}
	if e := t.f.Close(); err == nil {
		err = e
	}
	t.a.parts = append(t.a.parts, Part{Name: filepath.Base(t.f.Name()), Size: t.a.count.outBytes, Sum: t.sum})
	return err
}

// CheckFormats says in one sentence what of a program and the formats that a job file chooses
// contradicts each other.
func CheckFormats(p *mapreduce.Program, sources []input.Source, w Written) error {
	for i := range sources {
		if _, err := input.FormatOf(p, sources, i); err != nil {
			return err
		}
	}
	if p.Raw && w.Format != nil {
		return fmt.Errorf("application %s writes records as they are, in no other format", p.Name)
	}
	return w.Check()
}
