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

// log is a log that is open for appending. It belongs to one goroutine at a time.
type log struct {
	f    *fault.File
	end  int64
	torn bool // what stands before the end does not end a line
	sync bool
}

// openLog opens a log, which is made if there is none, and returns its records. With sync each
// record that is appended is on the disk, and not only with the system, when append returns.
func openLog(path string, sync bool) (*log, []json.RawMessage, error) {
	f, err := fault.AppendFile(path)
	if err != nil {
		return nil, nil, err
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	l := &log{f: f, end: int64(len(text)), torn: len(text) > 0 && text[len(text)-1] != '\n', sync: sync}
	return l, parse(text), nil
}

// readLog returns the records of a log without opening it for appending.
func readLog(path string) ([]json.RawMessage, error) {
	f, err := fault.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	return parse(text), err
}

// parse returns the records of a log whose checksums match.
func parse(text []byte) []json.RawMessage {
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

// append appends a record. When it returns without an error, the record outlives this process. A
// record that cannot be written is cut off again, so that the log stays as it was.
func (l *log) append(record any) error {
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
		// If even that cannot be done, the next record overwrites what there is, and a rest of it
		// is no record.
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

// clear removes all records.
func (l *log) clear() error {
	if fault.Dead() {
		return fault.ErrDead
	}
	l.end, l.torn = 0, false
	return l.f.Truncate(0)
}

func (l *log) close() error { return l.f.Close() }
