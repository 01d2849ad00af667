package outdir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"

	"github.com/slackline/slackline/internal/fault"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Log is a log that is open for appending. It belongs to one goroutine at a time.
type Log struct {
	f    *fault.File
	end  int64
	torn bool // what stands before the end does not end a line
	sync bool
}

// Open opens a log, which is made if there is none, and returns its records. With sync each record
// that is appended is on the disk, and not only with the system, when Append returns.
func Open(path string, sync bool) (*Log, []json.RawMessage, error) {
	f, err := fault.AppendFile(path)
	if err != nil {
		return nil, nil, err
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	l := &Log{f: f, end: int64(len(text)), torn: len(text) > 0 && text[len(text)-1] != '\n', sync: sync}
	return l, Parse(text), nil
}

// Read returns the records of a log without opening it for appending.
func Read(path string) ([]json.RawMessage, error) {
	f, err := fault.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	return Parse(text), err
}

// Parse returns the records of a log whose checksums match.
func Parse(text []byte) []json.RawMessage {
	var records []json.RawMessage
	for line := range bytes.Lines(text) {
		line, whole := bytes.CutSuffix(line, []byte{'\n'})
		if !whole || len(line) < 10 || line[8] != ' ' {
			continue
		}
		sum, err := strconv.ParseUint(string(line[:8]), 16, 32)
		if err != nil || crc32.Checksum(line[9:], castagnoli) != uint32(sum) || !json.Valid(line[9:]) {
			continue
		}
		records = append(records, json.RawMessage(line[9:]))
	}
	return records
}

// Append appends a record. When it returns without an error, the record outlives this process. A
// record that cannot be written is cut off again, so that the log stays as it was.
func (l *Log) Append(record any) error {
	text, err := json.Marshal(record)
	if err != nil {
		return err
	}
	var line []byte
	if l.torn {
		line = append(line, '\n')
	}
	line = fmt.Appendf(line, "%08x %s\n", crc32.Checksum(text, castagnoli), text)
	if _, err = l.f.WriteAt(line, l.end); err != nil {
		// If even that cannot be done, the next record overwrites what there is, and a rest of it is no record.
		if !fault.Dead() {
			_ = l.f.Truncate(l.end)
		}
		return err
	}
	if l.sync {
		if err := l.f.Sync(); err != nil {
			return err
		}
	}
	l.end, l.torn = l.end+int64(len(line)), false
	return nil
}

// Clear removes all records.
func (l *Log) Clear() error {
	if fault.Dead() {
		return fault.ErrDead
	}
	l.end, l.torn = 0, false
	return l.f.Truncate(0)
}

// Close closes the file.
func (l *Log) Close() error { return l.f.Close() }
