package mapreduce

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// CSV reads and writes comma-separated values by RFC 4180.
//
// Read, the value of a record is a JSON object with the names of the header and strings,
// {"id":"7","name":"Ann"}, or without a header an array of strings; the key is nil. Rows end with LF,
// CR LF or CR. A quoted field may hold commas, quotes (each written twice) and line ends.
// Empty lines are passed over, as is a byte order mark. A row with another number of fields than
// the header, a quote inside a field that is not quoted, text behind the closing quote, and text
// that is not UTF-8 are bad records.
//
// A file is cut at line ends that are not quoted. Where these are follows from the number of quotes
// before them, so a large file is looked through once, for quotes only, before the first task
// starts. A bad quote moves all cuts behind it, as it would move all rows for any reader. A
// compressed file is not cut.
//
// Written, the first field of a row is the key, unless it is nil, and the others are the value's,
// split at TABs, unless it is nil. Rows end with LF. Fields with a comma, a quote, CR or LF are
// quoted.
type CSV struct {
	Comma    byte     // 0 = a comma
	NoHeader bool     // read: the first row is a record
	Columns  []string // written: the header of each part file; nil = none
}

func (c CSV) comma() byte {
	if c.Comma == 0 {
		return ','
	}
	return c.Comma
}

// Cutting says that a file may be cut behind rows.
func (c CSV) Cutting() Cutting {
	if c.NoHeader {
		return AtRows
	}
	return AtRowsWithHeader
}

// Header returns the names of the columns that what is read begins with; none if there is no row.
func (c CSV) Header(in io.Reader) ([]string, error) {
	r := &csvReader{rows: rowReader{in: newLines(in)}, comma: c.comma(), first: true}
	return r.names()
}

// Open returns a reader of records.
func (c CSV) Open(in io.Reader, of Input) (RecordReader, error) {
	r := &csvReader{rows: rowReader{in: newLines(in)}, comma: c.comma(), first: of.Start == 0 || !c.NoHeader}
	if c.NoHeader {
		return r, nil
	}
	names, err := r.names()
	if err != nil {
		return nil, fmt.Errorf("the header: %w", err)
	}
	for _, name := range names {
		label, _ := appendString(nil, []byte(name)) // names has seen that it can be written
		r.header = append(r.header, append(label, ':'))
	}
	return r, nil
}

// names reads the header. One that no rows can be read by is a bad record, so that nobody tries again.
func (r *csvReader) names() ([]string, error) {
	row, err := r.row()
	if err == io.EOF {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := r.cut(row); err != nil {
		return nil, &BadRecord{err}
	}
	var names []string
	seen := map[string]bool{}
	for _, f := range r.fields {
		name := f.text(row)
		if seen[string(name)] {
			return nil, &BadRecord{fmt.Errorf("it has the column %q twice", name)}
		}
		if _, err := appendString(nil, name); err != nil {
			return nil, &BadRecord{err}
		}
		seen[string(name)] = true
		names = append(names, string(name))
	}
	return names, nil
}

type csvReader struct {
	rows   rowReader
	comma  byte
	first  bool // a byte order mark may come
	header [][]byte
	fields []field // of the row at hand
	value  []byte
}

// A field is a piece of a row, without its quotes.
type field struct {
	from, to int
	doubled  bool // it holds quotes that are written twice
}

func (f field) text(row []byte) []byte {
	text := row[f.from:f.to]
	if f.doubled {
		return bytes.ReplaceAll(text, []byte(`""`), []byte(`"`))
	}
	return text
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// row returns the next row that is not empty, without its line end.
func (r *csvReader) row() (row []byte, err error) {
	for {
		full, err := r.rows.next()
		if err != nil {
			return nil, err
		}
		row = bytes.TrimSuffix(bytes.TrimSuffix(full, []byte{'\n'}), []byte{'\r'})
		if r.first {
			r.first = false
			row = bytes.TrimPrefix(row, byteOrderMark)
		}
		if len(row) > 0 {
			return row, nil
		}
	}
}

// cut finds the fields of a row.
func (r *csvReader) cut(row []byte) error {
	r.fields = r.fields[:0]
	for i := 0; ; i++ {
		f := field{from: i}
		if i < len(row) && row[i] == '"' {
			f.from++
			for i++; ; i++ {
				n := bytes.IndexByte(row[i:], '"')
				if n < 0 {
					return fmt.Errorf("field %d has an opening quote and no closing one", len(r.fields)+1)
				}
				if i += n; i+1 >= len(row) || row[i+1] != '"' {
					break
				}
				f.doubled = true
				i++
			}
			f.to = i
			if i++; i < len(row) && row[i] != r.comma {
				return fmt.Errorf("field %d continues after its closing quote", len(r.fields)+1)
			}
		} else {
			if n := bytes.IndexByte(row[i:], r.comma); n >= 0 {
				i += n
			} else {
				i = len(row)
			}
			f.to = i
			if bytes.IndexByte(row[f.from:f.to], '"') >= 0 {
				return fmt.Errorf("field %d has a quote in it and is not quoted", len(r.fields)+1)
			}
		}
		r.fields = append(r.fields, f)
		if i >= len(row) {
			return nil
		}
	}
}

// Line is where the record begins.
func (r *csvReader) Line() int64 { return r.rows.line }

func (r *csvReader) Next() (key, value []byte, err error) {
	row, err := r.row()
	if err != nil {
		return nil, nil, err
	}
	if err := r.cut(row); err != nil {
		return nil, nil, &BadRecord{err}
	}
	open, end := byte('['), byte(']')
	if r.header != nil {
		if len(r.fields) != len(r.header) {
			right := "a value that is missing is an empty field"
			if len(r.fields) > len(r.header) {
				right = "a field with a comma in it stands in quotes, and decimals have points"
			}
			return nil, nil, &BadRecord{fmt.Errorf("it has %s, but the header has %d; %s", number(len(r.fields), "field"), len(r.header), right)}
		}
		open, end = '{', '}'
	}
	r.value = append(r.value[:0], open)
	for i, f := range r.fields {
		if i > 0 {
			r.value = append(r.value, ',')
		}
		if r.header != nil {
			r.value = append(r.value, r.header[i]...)
		}
		if r.value, err = appendString(r.value, f.text(row)); err != nil {
			return nil, nil, &BadRecord{fmt.Errorf("field %d: %w", i+1, err)}
		}
	}
	r.value = append(r.value, end)
	return nil, r.value, nil
}

func number(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}

// rowReader reads rows: lines, joined as long as a quote is open, and cut at CRs that are in none.
type rowReader struct {
	in   lineReader
	long []byte
	rest []byte // of a line that was cut
	line int64  // at which the row at hand begins, from 1
	past int64  // line ends up to its end
}

// next returns the next row with its line end.
func (r *rowReader) next() (row []byte, err error) {
	row = r.rest
	if len(row) == 0 {
		if row, err = r.joined(); err != nil {
			return nil, err
		}
	}
	row, r.rest = cutRow(row)
	r.line = r.past + 1
	r.past += int64(LineEnds(row))
	return row, nil
}

// cutRow cuts behind the first CR that is not quoted and has no LF behind it.
func cutRow(row []byte) (first, rest []byte) {
	quoted := false
	for from := 0; ; {
		i := bytes.IndexByte(row[from:], '\r')
		if i < 0 {
			return row, nil
		}
		quoted = quoted != (bytes.Count(row[from:from+i], quote)%2 == 1)
		if from += i + 1; !quoted && from < len(row) && row[from] != '\n' {
			return row[:from], row[from:]
		}
	}
}

// joined returns lines up to one with which no quote is open.
func (r *rowReader) joined() (row []byte, err error) {
	_, full, err := r.in.next()
	if err != nil {
		return nil, err
	}
	if full == nil {
		return nil, io.EOF
	}
	quotes := bytes.Count(full, quote)
	if quotes%2 == 0 {
		return full, nil
	}
	r.long = append(r.long[:0], full...)
	for quotes%2 == 1 {
		if _, full, err = r.in.next(); err != nil {
			return nil, err
		}
		if full == nil {
			break // the quote stays open
		}
		if len(r.long)+len(full) > maxLine {
			return nil, errLong
		}
		r.long = append(r.long, full...)
		quotes += bytes.Count(full, quote)
	}
	return r.long, nil
}

var quote = []byte{'"'}

// Begin appends the header.
func (c CSV) Begin(to []byte) []byte {
	for i, name := range c.Columns {
		if i > 0 {
			to = append(to, c.comma())
		}
		to = c.appendField(to, []byte(name))
	}
	if len(c.Columns) > 0 {
		to = append(to, '\n')
	}
	return to
}

// Append appends a row.
func (c CSV) Append(to, key, value []byte) ([]byte, error) {
	if key == nil && value == nil {
		return to, nil
	}
	n, from := 0, len(to)
	put := func(f []byte) {
		if n > 0 {
			to = append(to, c.comma())
		}
		to = c.appendField(to, f)
		n++
	}
	if key != nil {
		put(key)
	}
	if value != nil {
		for f := range bytes.SplitSeq(value, []byte{'\t'}) {
			put(f)
		}
	}
	if len(c.Columns) > 0 && n != len(c.Columns) {
		return nil, &BadRecord{fmt.Errorf("it has %s, but columns names %d", number(n, "field"), len(c.Columns))}
	}
	if len(to) == from {
		to = append(to, `""`...) // an empty line is no row
	}
	return append(to, '\n'), nil
}

func (c CSV) appendField(to, text []byte) []byte {
	if !slices.ContainsFunc(text, func(b byte) bool { return b == '"' || b == '\n' || b == '\r' || b == c.comma() }) {
		return append(to, text...)
	}
	to = append(to, '"')
	for _, b := range text {
		if b == '"' {
			to = append(to, '"')
		}
		to = append(to, b)
	}
	return append(to, '"')
}

// Check refuses what cannot separate fields.
func (c CSV) Check() error {
	switch c.Comma {
	case '"', '\n', '\r':
		return errors.New("fields cannot be separated by a quote or a line end")
	}
	return nil
}
