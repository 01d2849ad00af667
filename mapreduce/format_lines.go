package mapreduce

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

var errLong = errors.New("a record is longer than 1 GB")

// KeyValue reads lines of key TAB value, as text output has them: of a line without a TAB the line
// is the key and the value nil.
type KeyValue struct{ Separator byte } // 0 = TAB

// Cutting says that a file may be cut at any line.
func (KeyValue) Cutting() Cutting { return AtLines }

// Open returns a reader of records.
func (k KeyValue) Open(in io.Reader, _ Input) (RecordReader, error) {
	k.Separator = cmp.Or(k.Separator, '\t')
	return &keyValue{newLines(in), k.Separator}, nil
}

func newLines(in io.Reader) lineReader { return lineReader{r: bufio.NewReaderSize(in, 256<<10)} }

type keyValue struct {
	in  lineReader
	sep byte
}

// Line is where the record begins.
func (k *keyValue) Line() int64 { return k.in.n }

func (k *keyValue) Next() (key, value []byte, err error) {
	line, full, err := k.in.next()
	if err != nil {
		return nil, nil, err
	}
	if full == nil {
		return nil, nil, io.EOF
	}
	if i := bytes.IndexByte(line, k.sep); i >= 0 {
		return line[:i], line[i+1:], nil
	}
	return line, nil, nil
}

// JSONLines reads lines that are JSON, and writes such. Read, the value is the line without
// whitespace at its ends, and the key is nil; empty lines are passed over.
//
// Written, a record is {"key": …, "value": …}: the key is a string; a value that is a JSON number,
// object or array stands as it is, and any other as a string. What is nil is left out, and of a
// record without a key whose value is an object or array only that is written. What is not UTF-8
// cannot be written.
type JSONLines struct{}

// Cutting says that a file may be cut at any line.
func (JSONLines) Cutting() Cutting { return AtLines }

// Open returns a reader of records.
func (JSONLines) Open(in io.Reader, _ Input) (RecordReader, error) {
	return &jsonLines{newLines(in)}, nil
}

type jsonLines struct{ in lineReader }

// Line is where the record begins.
func (j *jsonLines) Line() int64 { return j.in.n }

func (j *jsonLines) Next() (key, value []byte, err error) {
	for {
		line, full, err := j.in.next()
		if err != nil {
			return nil, nil, err
		}
		if full == nil {
			return nil, nil, io.EOF
		}
		line = bytes.Trim(line, " \t\r")
		if len(line) == 0 {
			continue
		}
		if !json.Valid(line) {
			return nil, nil, &BadRecord{fmt.Errorf("%s is not JSON", shown(line))}
		}
		return nil, line, nil
	}
}

// Begin appends nothing.
func (JSONLines) Begin(to []byte) []byte { return to }

// Append appends a line.
func (JSONLines) Append(to, key, value []byte) ([]byte, error) {
	if key == nil && value == nil {
		return to, nil
	}
	as := jsonKind(value)
	if key == nil && (as == '{' || as == '[') {
		return appendCompact(to, value, "\n"), nil
	}
	to = append(to, '{')
	var err error
	if key != nil {
		if to, err = appendString(append(to, `"key":`...), key); err != nil {
			return nil, &BadRecord{fmt.Errorf("the key %w", err)}
		}
		if value != nil {
			to = append(to, ',')
		}
	}
	switch {
	case value == nil:
		return append(to, "}\n"...), nil
	case as != 0:
		return appendCompact(append(to, `"value":`...), value, "}\n"), nil
	}
	if to, err = appendString(append(to, `"value":`...), value); err != nil {
		return nil, &BadRecord{fmt.Errorf("the value %w", err)}
	}
	return append(to, "}\n"...), nil
}

// appendCompact appends JSON on one line.
func appendCompact(to, text []byte, end string) []byte {
	if bytes.IndexByte(text, '\n') < 0 && bytes.IndexByte(text, '\r') < 0 {
		return append(append(to, text...), end...)
	}
	buf := bytes.NewBuffer(to)
	if err := json.Compact(buf, text); err != nil {
		panic(err) // it is valid
	}
	return append(buf.Bytes(), end...)
}

// jsonKind tells whether the text is a JSON object ('{'), array ('[') or number ('0'); 0 if none of them.
func jsonKind(text []byte) byte {
	if len(text) == 0 {
		return 0
	}
	c := text[0]
	switch {
	case c == '-' || c >= '0' && c <= '9':
		c = '0'
	case c != '{' && c != '[':
		return 0
	}
	if !json.Valid(text) || !utf8.Valid(text) {
		return 0
	}
	return c
}

var errNotUTF8 = errors.New("is not UTF-8")

// appendString appends a JSON string.
func appendString(to, text []byte) ([]byte, error) {
	if !utf8.Valid(text) {
		return to, fmt.Errorf("%s %w", shown(text), errNotUTF8)
	}
	const hex = "0123456789abcdef"
	to = append(to, '"')
	from := 0
	for i, c := range text {
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		to = append(to, text[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			to = append(to, '\\', c)
		case '\n':
			to = append(to, '\\', 'n')
		case '\r':
			to = append(to, '\\', 'r')
		case '\t':
			to = append(to, '\\', 't')
		default:
			to = append(to, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(to, text[from:]...), '"'), nil
}
