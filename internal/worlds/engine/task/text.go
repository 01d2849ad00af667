package task

import (
	"fmt"
	"hash/crc32"
	"path/filepath"

	"github.com/slackline/slackline/internal/fault"
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
	sync    bool
	records *int64
}

var _ mapreduce.Emitter = (*text)(nil)

// createText makes the directory for part files and the one in it.
func createText(a *attempt, c *Config, name string, records *int64) (*text, error) {
	dir := c.Out
	if err := fault.MakeDirs(dir); err != nil {
		return nil, err
	}
	f, err := fault.CreateFile(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	return &text{a: a, f: f, raw: c.Program.Raw, sync: c.Sync, records: records}, nil
}

// Emit writes key TAB value LF; of a nil key or value neither it nor the TAB, of both nothing. Raw output has neither TAB nor LF.
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

func (t *text) flush() error {
	n, err := t.f.Write(t.buf)
	t.sum = crc32.Update(t.sum, castagnoli, t.buf[:n])
	t.a.count.outBytes += int64(n)
	t.buf = t.buf[:0]
	t.a.meter.beat()
	return err
}

// close ends the file. After an error it only closes it.
func (t *text) close(err error) error {
	if err == nil {
		err = t.flush()
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
