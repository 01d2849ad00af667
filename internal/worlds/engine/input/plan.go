package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/files/codec"
	"github.com/slackline/slackline/internal/worlds/engine/failure"
	"github.com/slackline/slackline/internal/worlds/engine/format"
	"github.com/slackline/slackline/mapreduce"
)

// Source is one of the inputs of a job, with what a job file says of it.
type Source struct {
	Name   string       `json:"name,omitempty"` // for mappers that tell inputs apart
	Paths  []string     `json:"-"`
	Format *format.Spec `json:"format,omitempty"` // nil = the program's
}

// FindAll returns the files of all sources, in their order.
func FindAll(sources []Source) ([]File, error) {
	var all []File
	for i := range sources {
		files, err := Find(sources[i].Paths)
		if err != nil {
			return nil, err
		}
		for j := range files {
			files[j].Source = i
		}
		all = append(all, files...)
	}
	return all, nil
}

// formatOf is the format of a source's records; nil = lines, or records of a fixed length.
func FormatOf(p *mapreduce.Program, sources []Source, i int) (mapreduce.InputFormat, error) {
	if i < len(sources) && sources[i].Format != nil {
		if p.Records.Length > 0 {
			return nil, fmt.Errorf("application %s reads records of %d bytes and no other format", p.Name, p.Records.Length)
		}
		return sources[i].Format.Input()
	}
	return p.Input, nil
}

// Columns returns the header of a CSV file, compressed or not; none if it is empty. A first row that
// does not stand below its header is an error, unless rows may be skipped: decimal commas, which are
// in all of them, are told before the run.
func Columns(f File, form mapreduce.CSV, skip bool) ([]string, error) {
	src, err := fault.OpenFile(f.Path)
	if err != nil {
		return nil, fmt.Errorf("input %q: %w", f.Path, fault.Bare(err))
	}
	defer src.Close()
	kind, err := codec.Detect(src)
	in := io.Reader(src)
	if err == nil && kind != codec.None {
		packed := codec.Open(kind, src, f.Size, 0, f.Size)
		defer packed.Close()
		in = packed
	}
	var names []string
	var read bytes.Buffer
	if err == nil {
		names, err = form.Header(io.TeeReader(in, &read))
	}
	if err != nil {
		if _, is := isText(f); failure.Of(is) == failure.Permanent { // it has none, being something else
			return nil, is
		}
		return nil, fmt.Errorf("input %q: the header: %w", f.Path, fault.Bare(err))
	}
	if rows, err := form.Open(io.MultiReader(&read, in), mapreduce.Input{}); err == nil && !skip {
		var bad *mapreduce.BadRecord
		if _, _, err := rows.Next(); errors.As(err, &bad) { // what else goes wrong is told by whoever reads all of it
			return names, fmt.Errorf("input %q: record 1, line %d: %w", f.Path, rows.(mapreduce.LineReader).Line(), bad)
		}
	}
	return names, nil
}

// Odd is a file of which something is told before it is read: What, its path, and Why.
type Odd struct{ What, Path, Why string }

// OneTask is what is told of a file larger than a block that one task reads nevertheless.
const OneTask = "one task reads all of"

// NoText is what is told of a file whose first bytes are nothing that is known by name, and no text.
// Unnamed is what is told of a file that lies in what a job wrote, and that its _SUCCESS does not name.
const (
	NoText     = "bytes that no text has are taken as text in"
	noTextWhy  = "write its rows as CSV or JSON lines; input_format: whole takes the bytes as they are"
	Unnamed    = "what the job there did not write is read as well:"
	unnamedWhy = "_SUCCESS beside it does not name it; remove what is not meant to be read"
)

// readSize is how much is read at a time.
const readSize = 256 << 10

// planTries is how often a file is looked at that cannot be read: as often as a task is tried.
const planTries = 4

// Plan cuts files into splits, each of them where the program, the formats and what it is
// compressed with allow. It refuses files of which it can be seen at once that no task could read
// them.
func Plan(files []File, block int64, p *mapreduce.Program, sources []Source) ([]Split, []Odd, error) {
	var odd []Odd
	outputs := outputs{}
	for _, f := range files {
		if parts, _ := outputs.of(filepath.Dir(f.Path)); parts != nil && outputs.part(f.Path) == nil {
			odd = append(odd, Odd{Unnamed, f.Path, unnamedWhy})
		}
		text, err := understood(f, p, sources)
		if err == nil {
			err = unreadable(f, p, sources)
		}
		// Whatever may be otherwise the next time is left to the task that reads the file.
		if failure.Of(err) == failure.Permanent {
			return nil, nil, err
		}
		if !text {
			odd = append(odd, Odd{NoText, f.Path, noTextWhy})
		}
	}
	splits, err := cut(files, block, func(f File) ([]int64, error) {
		var cuts []int64
		var why string
		var err error
		for range planTries {
			if cuts, why, err = cutsOf(f, block, p, sources); err == nil || errors.Is(err, fs.ErrNotExist) {
				break
			}
		}
		if why != "" {
			odd = append(odd, Odd{OneTask, f.Path, why})
		}
		return cuts, err
	})
	return splits, odd, err
}

// unreadable looks whether the records of a file have their length, and whether the header of a
// file of CSV can be read.
func unreadable(f File, p *mapreduce.Program, sources []Source) error {
	form, err := FormatOf(p, sources, f.Source)
	if err != nil {
		return err
	}
	if csv, ok := form.(mapreduce.CSV); ok && !csv.NoHeader {
		_, err := Columns(f, csv, true)
		return err
	}
	length := int64(p.Records.Length)
	if form != nil || length == 0 || f.Size%length == 0 {
		return nil
	}
	src, err := fault.OpenFile(f.Path)
	if err != nil {
		return err
	}
	defer src.Close()
	if kind, err := codec.Detect(src); err != nil || kind != codec.None {
		return err
	}
	return fmt.Errorf("input %q: %w", f.Path, TornRecord(f.Size-f.Size%length, f.Size%length, length))
}

// cutsOf returns where to cut a large file, and if there is no such place, why.
func cutsOf(f File, block int64, p *mapreduce.Program, sources []Source) (cuts []int64, why string, err error) {
	form, err := FormatOf(p, sources, f.Source)
	if err != nil {
		return nil, "", fmt.Errorf("input %q: %w", f.Path, err)
	}
	src, err := fault.OpenFile(f.Path)
	if err != nil {
		return nil, "", fmt.Errorf("input %q: %w", f.Path, fault.Bare(err))
	}
	defer src.Close()
	kind, err := codec.Detect(src)
	if err != nil {
		return nil, "", fmt.Errorf("input %q: %w", f.Path, fault.Bare(err))
	}
	cutting := mapreduce.AtLines
	if form != nil {
		cutting = form.Cutting()
	}
	switch {
	case cutting == mapreduce.Uncut:
		return nil, "its records must not be split", nil
	case kind.Whole():
		return nil, fmt.Sprintf("%v cannot be split", kind), nil
	case kind != codec.None && (cutting != mapreduce.AtLines || p.Records.Length > 0):
		return nil, fmt.Sprintf("its records cannot be found, as it is compressed with %v", kind), nil
	case cutting == mapreduce.AtLines:
		if cuts, err = kind.Cuts(src, f.Size, block); err != nil {
			return nil, "", fmt.Errorf("input %q: %w", f.Path, fault.Bare(err))
		}
		if len(cuts) == 0 && f.Size > block {
			why = fmt.Sprintf("its %v data cannot be split anywhere", kind)
		}
		return cuts, why, nil
	}
	if cuts, err = rowCuts(src, f.Size, block, cutting == mapreduce.AtRowsWithHeader); err != nil {
		return nil, "", fmt.Errorf("input %q: %w", f.Path, fault.Bare(err))
	}
	if len(cuts) == 0 && f.Size > block {
		why = "it has no row after which it could be split"
	}
	return cuts, why, nil
}

// rowCuts returns the first end of a row behind each multiple of block: behind a line end with an
// even number of quotes before it, and not before the end of the header where there is one.
func rowCuts(f io.ReaderAt, size, block int64, header bool) (cuts []int64, err error) {
	first := int64(0)
	if header {
		head, err := HeaderOf(f)
		if err != nil {
			return nil, err
		}
		first = int64(len(head))
	}
	buf := make([]byte, readSize)
	quotes := 0
	looks := false // for the end of a row
	for at := int64(0); at < size; {
		to := min(at+int64(len(buf)), size)
		next := (at/block + 1) * block
		if !looks {
			to = min(to, next)
		}
		b := buf[:to-at]
		if n, err := f.ReadAt(b, at); n < len(b) {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		if !looks {
			quotes += bytes.Count(b, doubleQuote)
			at = to
			looks = at == next
			continue
		}
		end, odd := rowEnd(b, quotes%2 == 1)
		if end < 0 {
			at = to
			if odd {
				quotes = 1
			} else {
				quotes = 0
			}
			continue
		}
		at, quotes, looks = at+int64(end), 0, false
		if at >= first && at < size {
			cuts = append(cuts, at)
		}
	}
	return cuts, nil
}

var doubleQuote = []byte{'"'}

// rowEnd returns what is behind the first line end that is not quoted, -1 if there is none, and
// whether a quote is open at the end. Of a CR at the end nobody knows whether a LF follows.
func rowEnd(b []byte, open bool) (int, bool) {
	for i, c := range b {
		switch {
		case c == '"':
			open = !open
		case c == '\n' && !open, c == '\r' && !open && i+1 < len(b) && b[i+1] != '\n':
			return i + 1, false
		}
	}
	return -1, open
}

// maxHeader bounds the bytes up to the end of the first row.
const maxHeader = 16 << 20

// headerOf returns the first row of a file that is not empty, as package mapreduce reads it, with all before it.
func HeaderOf(f io.ReaderAt) ([]byte, error) {
	var head []byte
	for {
		n := len(head)
		if n > maxHeader {
			return nil, errors.New("its first row, the header, does not end within 16 MB; is a quote left open?")
		}
		head = slices.Grow(head, max(n, 4096))
		got, err := f.ReadAt(head[n:max(2*n, n+4096)], int64(n))
		head = head[:n+got]
		for from := 0; from < len(head); {
			end, _ := rowEnd(head[from:], false)
			if end < 0 {
				break
			}
			row := bytes.TrimSuffix(bytes.TrimSuffix(head[from:from+end], []byte{'\n'}), []byte{'\r'})
			if from == 0 {
				row = bytes.TrimPrefix(row, byteOrderMark)
			}
			if len(row) > 0 {
				return head[:from+end], nil
			}
			from += end
		}
		if err == io.EOF {
			return head, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// TornRecord says that a file ends within a record of a fixed length.
func TornRecord(at, have, length int64) error {
	return failure.As(failure.Permanent, fmt.Errorf("the record at byte %d has %d bytes instead of %d", at, have, length))
}
