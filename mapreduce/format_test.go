package mapreduce_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/slackline/slackline/mapreduce"
)

// read returns the values of all records that can be read, and how many cannot.
func read(t testing.TB, f mapreduce.InputFormat, text string) (values []string, bad int, err error) {
	t.Helper()
	r, err := f.Open(iotest.HalfReader(strings.NewReader(text)), mapreduce.Input{Path: "p"})
	if err != nil {
		return nil, 0, err
	}
	for {
		_, value, err := r.Next()
		var is *mapreduce.BadRecord
		switch {
		case err == io.EOF:
			return values, bad, nil
		case errors.As(err, &is):
			bad++
		case err != nil:
			return nil, 0, err
		default:
			values = append(values, string(value))
		}
	}
}

// FuzzCSV: where the standard library reads all rows, so do we, and the same; whatever the text, what we read is JSON.
func FuzzCSV(f *testing.F) {
	for _, text := range []string{"a,b\n1,2\n", "\"a\"\"b\",\"c\nd\"\r\n", "a\n\n\nb", ",\n,\n", "\"", "a\"b\n\"\"x\n", "\xef\xbb\xbfa\n", "é,\xff\n", "a\r\n\"x\r\ny\"\r\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, bad, err := read(t, mapreduce.CSV{NoHeader: true}, text)
		if err != nil {
			t.Fatal(err)
		}
		var rows [][]string
		for _, value := range got {
			var row []string
			if err := json.Unmarshal([]byte(value), &row); err != nil {
				t.Fatalf("%q: %q: %v", text, value, err)
			}
			rows = append(rows, row)
		}
		std := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\xef\xbb\xbf")))
		std.FieldsPerRecord = -1
		want, err := std.ReadAll()
		// It takes a CR LF within quotes for a LF, a CR at the end of the file for a line end, and any bytes for text.
		if err != nil || strings.Contains(text, "\r") || !utf8.ValidString(text) {
			return
		}
		if bad > 0 || len(rows) != len(want) {
			t.Fatalf("%q: %q and %d bad, want %q", text, rows, bad, want)
		}
		for i := range want {
			if strings.Join(rows[i], "\x00") != strings.Join(want[i], "\x00") {
				t.Fatalf("%q: %q, want %q", text, rows[i], want[i])
			}
		}
	})
}

// FuzzCSVWriting: a row reads back as it was written.
func FuzzCSVWriting(f *testing.F) {
	f.Add("key", "a\tb,\"c\"", byte(','))
	f.Add("", "", byte(';'))
	f.Add("\xef\xbb\xbf", "\r\n\t", byte('\t'))
	f.Fuzz(func(t *testing.T, key, value string, comma byte) {
		c := mapreduce.CSV{Comma: comma, NoHeader: true}
		if c.Check() != nil || comma >= utf8.RuneSelf || !utf8.ValidString(key) || !utf8.ValidString(value) || strings.HasPrefix(key, "\xef\xbb\xbf") {
			return
		}
		row, err := c.Append(nil, []byte(key), []byte(value))
		if err != nil {
			t.Fatal(err)
		}
		got, bad, err := read(t, c, string(row))
		if err != nil || bad > 0 || len(got) != 1 {
			t.Fatalf("%q: %q, %d bad, %v", row, got, bad, err)
		}
		var fields []string
		if err := json.Unmarshal([]byte(got[0]), &fields); err != nil {
			t.Fatal(err)
		}
		if want := key + "\t" + value; strings.Join(fields, "\t") != want {
			t.Fatalf("%q reads back as %q", want, fields)
		}
	})
}

// FuzzJSONLines: a line is taken if and only if the standard library takes it, and what is written is one line of JSON.
func FuzzJSONLines(f *testing.F) {
	for _, text := range []string{"{}", "[1,\t2]", " 1 ", "\"é\"", "{\"a\":", "nul", "-", "1e5"} {
		f.Add(text, "key")
	}
	f.Fuzz(func(t *testing.T, value, key string) {
		if !strings.Contains(value, "\n") {
			got, bad, err := read(t, mapreduce.JSONLines{}, value)
			if err != nil {
				t.Fatal(err)
			}
			blank := strings.Trim(value, " \t\r") == ""
			if valid := json.Valid([]byte(value)); blank && len(got)+bad > 0 || !blank && (valid != (len(got) == 1) || valid == (bad == 1)) {
				t.Fatalf("%q: %q, %d bad", value, got, bad)
			}
		}
		line, err := mapreduce.JSONLines{}.Append(nil, []byte(key), []byte(value))
		if valid := utf8.ValidString(key) && utf8.ValidString(value); valid != (err == nil) {
			t.Fatalf("%q, %q: %v", key, value, err)
		}
		if err != nil {
			return
		}
		var back struct {
			Key   string
			Value json.RawMessage
		}
		if err := json.Unmarshal(line, &back); err != nil || back.Key != key || bytes.Count(line, []byte("\n")) != 1 {
			t.Fatalf("%q, %q: %q, %v", key, value, line, err)
		}
		var text string
		if json.Unmarshal(back.Value, &text) == nil && text != value {
			t.Fatalf("%q was written as %q", value, line)
		}
	})
}

func TestJSONLinesWritten(t *testing.T) {
	for _, c := range []struct{ key, value, want string }{
		{"k", "1", `{"key":"k","value":1}`},
		{"k", "007", `{"key":"k","value":"007"}`},
		{"k", "true", `{"key":"k","value":"true"}`},
		{"a\t\"\x01", "{\"a\":\n1}", `{"key":"a\t\"\u0001","value":{"a":1}}`},
		{"k", "-", `{"key":"k"}`},
		{"-", "{\"a\":1}", `{"a":1}`},
		{"-", "7", `{"value":7}`},
		{"-", "-", ``},
	} {
		bytesOf := func(s string) []byte {
			if s == "-" {
				return nil
			}
			return []byte(s)
		}
		got, err := mapreduce.JSONLines{}.Append(nil, bytesOf(c.key), bytesOf(c.value))
		if err != nil || strings.TrimSuffix(string(got), "\n") != c.want {
			t.Errorf("%q %q: %q, %v, want %q", c.key, c.value, got, err, c.want)
		}
	}
}

func TestCSVOptions(t *testing.T) {
	c := mapreduce.CSV{Comma: ';', Columns: []string{"a;b", "c"}}
	if got := string(c.Begin(nil)); got != "\"a;b\";c\n" {
		t.Errorf("%q", got)
	}
	if _, err := c.Append(nil, []byte("k"), nil); err == nil || !strings.Contains(err.Error(), "it has 1 field, but columns names 2") {
		t.Errorf("%v", err)
	}
	got, bad, err := read(t, c, "x;y\n1;2,3\n")
	if err != nil || bad > 0 || strings.Join(got, "|") != `{"x":"1","y":"2,3"}` {
		t.Errorf("%q, %d, %v", got, bad, err)
	}
	if p := (&mapreduce.Program{Input: mapreduce.CSV{Comma: '"'}}); p.Check() == nil {
		t.Error("a quote separates fields")
	}
}

// Formats of lines can be streamed, and what a stream writes has the program's format.
func TestStreamFormats(t *testing.T) {
	p := &mapreduce.Program{Name: "p", Input: mapreduce.JSONLines{}, Output: mapreduce.JSONLines{}}
	none := map[string]string{"mapreduce_job_reduces": "0"}
	if got := must(t, p, mapreduce.MapRole, " [1]\n{}\n", none); got != "[1]\n{}\n" {
		t.Errorf("%q", got)
	}
	if got := must(t, p, mapreduce.ReduceRole, "a\t1\n", nil); got != "{\"key\":\"a\",\"value\":1}\n" {
		t.Errorf("%q", got)
	}
	if _, _, err := stream(t, p, mapreduce.MapRole, "[1]\n[\n", none); err == nil || !strings.Contains(err.Error(), `record 2: "[" is not JSON`) {
		t.Errorf("%v", err)
	}
	p.Input = mapreduce.CSV{}
	if _, _, err := stream(t, p, mapreduce.MapRole, "a\n1\n", none); err == nil || !strings.Contains(err.Error(), "cannot be split into lines") {
		t.Errorf("%v", err)
	}
}
