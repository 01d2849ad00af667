package mapreduce

import (
	"bytes"
	"io"
)

// InputFormat says what the records of a file are. In a Program nil means lines of text. One value
// serves many attempts at once.
type InputFormat interface {
	// Cutting says where a file may be cut, so that several tasks can read it.
	Cutting() Cutting
	// Open returns a reader of the records of a piece. in holds whole records only, as Cutting
	// describes them, unpacked if the file is compressed.
	Open(in io.Reader, of Input) (RecordReader, error)
}

// RecordReader reads records, one after another. It belongs to one goroutine.
type RecordReader interface {
	// Next returns the next record, good until the next call, or io.EOF. A *BadRecord says that
	// there is a record and that it cannot be read; the next call continues after it.
	Next() (key, value []byte, err error)
}

// LineReader is implemented by RecordReaders that know where the record which Next returned last
// begins: at which line of what they read, from 1. So people are told the line of a bad record.
type LineReader interface{ Line() int64 }

// LineEnds counts the line ends in a text: LF, CR LF and CR.
func LineEnds(text []byte) int {
	return bytes.Count(text, []byte{'\n'}) + bytes.Count(text, []byte{'\r'}) - bytes.Count(text, []byte("\r\n"))
}

// Cutting says where a file may be cut.
type Cutting uint8

// The kinds of cutting.
const (
	Uncut Cutting = iota // nowhere: one task reads the file
	// behind any line; whoever opens a piece reads lines that end with LF, whichever way they do in
	// the file
	AtLines
	// behind a line end that does not stand between double quotes, each of which begins or ends a
	// quotation (RFC 4180)
	AtRows
	AtRowsWithHeader // the same; the first row of the file stands in front of each piece
)

// BadRecord says why a record cannot be read, or, from an OutputFormat, cannot be written. The
// engine adds the place. A Mapper may return one too: as no other attempt could read the record,
// none is made.
type BadRecord struct{ Err error }

// Error is the reason.
func (b *BadRecord) Error() string { return b.Err.Error() }

// Unwrap returns the reason.
func (b *BadRecord) Unwrap() error { return b.Err }

// OutputFormat says how records stand in part files. In a Program nil means text: key TAB value LF.
// One value serves many attempts at once.
type OutputFormat interface {
	// Begin appends what stands at the start of each part file.
	Begin(to []byte) []byte
	// Append appends a record. Key and value are nil where the program emitted nil.
	Append(to, key, value []byte) ([]byte, error)
}

// WholeFile makes a file one record: its path is the key, and what it holds, unpacked if it is
// compressed, the value. It must be smaller than 1 GB.
type WholeFile struct{}

// Cutting says that a file is not cut.
func (WholeFile) Cutting() Cutting { return Uncut }

// Open returns a reader of one record.
func (WholeFile) Open(in io.Reader, of Input) (RecordReader, error) {
	return &wholeFile{in, []byte(of.Path)}, nil
}

type wholeFile struct {
	in  io.Reader
	key []byte
}

func (w *wholeFile) Next() (key, value []byte, err error) {
	if w.in == nil {
		return nil, nil, io.EOF
	}
	value, err = io.ReadAll(io.LimitReader(w.in, maxLine+1))
	if err == nil && len(value) > maxLine {
		err = errLong
	}
	w.in = nil
	return w.key, value, err
}

// Raw writes keys and values one behind another, with nothing in between.
type Raw struct{}

// Begin appends nothing.
func (Raw) Begin(to []byte) []byte { return to }

// Append appends key and value.
func (Raw) Append(to, key, value []byte) ([]byte, error) {
	return append(append(to, key...), value...), nil
}
