package task

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/slackline/slackline/internal/files/codec"
	"github.com/slackline/slackline/internal/files/codec/codectest"
	"github.com/slackline/slackline/internal/worlds/engine/failure"
	"github.com/slackline/slackline/internal/worlds/engine/format"
	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/units"
)

// onlyValues emits the values of records.
var onlyValues = &mapreduce.Program{Name: "values", NewMapper: func(*mapreduce.Context) (mapreduce.Mapper, error) {
	return mapFunc(func(_, value []byte, out mapreduce.Emitter) error { return out.Emit(nil, value) }), nil
}}

// put writes a file, cut into parts at random and packed.
func put(t *rapid.T, dir, name, kind, text string) string {
	var parts [][]byte
	for rest := []byte(text); len(rest) > 0; {
		n := rapid.IntRange(1, len(rest)).Draw(t, "part")
		parts, rest = append(parts, rest[:n]), rest[n:]
	}
	packed, err := codectest.Pack(kind, parts)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, packed, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func tempDir(t *rapid.T) string {
	dir, err := os.MkdirTemp("", "task")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

var packings = []string{"none", "gzip", "zstd", "bzip2", "snappy", "s2"}

// A job on packed files, wherever they are cut, does what it does on the same text.
func TestPackedEqualsReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Not those that look at offsets, which count from where a piece starts.
		lines := &mapreduce.Program{Name: "lines", NewMapper: byLine, NewReducer: func(*mapreduce.Context) (mapreduce.Reducer, error) { return mapreduce.Identity{}, nil }}
		counts := &mapreduce.Program{Name: "wordcount", NewMapper: func(*mapreduce.Context) (mapreduce.Mapper, error) { return &wordcount{}, nil },
			NewCombiner: mapreduce.Sum.Reducer, NewReducer: mapreduce.Sum.Reducer}
		program := lines
		if rapid.Bool().Draw(t, "count") {
			program = counts
		}
		j := job{program: program, block: rapid.Int64Range(1, 300).Draw(t, "block"), reduces: rapid.IntRange(0, 3).Draw(t, "reduces"),
			buffer: rapid.IntRange(1, 600).Draw(t, "buffer"), workers: 2}
		dir := tempDir(t)
		in := texts().Draw(t, "files")
		var paths []string
		for i, text := range in {
			paths = append(paths, put(t, dir, fmt.Sprintf("in-%03d", i), rapid.SampledFrom(packings).Draw(t, "packing"), text))
		}
		want, err := reference(j.program, in, j.reduces)
		if err != nil {
			t.Fatal(err)
		}
		got, counters, err := j.run(t.Context(), dir, paths)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("output differs from the reference (-want +got):\n%s", diff)
		}
		if got, want := count(counters, mapreduce.MapInputBytes), int64(len(strings.Join(in, ""))); got != want {
			t.Fatalf("%d bytes were read of %d", got, want)
		}
	})
}

// A packed file with a total order is sampled at places where it can be read.
func TestPackedTotalOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir := tempDir(t)
		text := strings.Join(rapid.SliceOfN(rapid.StringMatching(`[a-z]{1,8}`), 1, 200).Draw(t, "lines"), "\n") + "\n"
		path := put(t, dir, "in", rapid.SampledFrom(packings).Draw(t, "packing"), text)
		p := &mapreduce.Program{Name: "sort", NewMapper: byLine, TotalOrder: true}
		j := job{program: p, block: rapid.Int64Range(1, 300).Draw(t, "block"), reduces: 3, workers: 1}
		parts, _, err := j.run(t.Context(), dir, []string{path})
		if err != nil {
			t.Fatal(err)
		}
		lines := slices.Sorted(strings.Lines(text))
		if got := parts["part-r-00000"] + parts["part-r-00001"] + parts["part-r-00002"]; got != strings.Join(lines, "") {
			t.Fatalf("%q", got)
		}
	})
}

// csvText writes rows as RFC 4180 has them, with line ends and quotes as they come.
func csvText(t *rapid.T, rows [][]string) string {
	end := rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "line end")
	var b strings.Builder
	for i, row := range rows {
		for k, f := range row {
			if k > 0 {
				b.WriteByte(',')
			}
			if strings.ContainsAny(f, "\",\r\n") || len(row) == 1 && f == "" || rapid.Bool().Draw(t, "quoted") {
				b.WriteString(`"` + strings.ReplaceAll(f, `"`, `""`) + `"`)
			} else {
				b.WriteString(f)
			}
		}
		if i+1 < len(rows) || rapid.Bool().Draw(t, "last line end") {
			b.WriteString(end)
		}
	}
	return b.String()
}

func csvRows() *rapid.Generator[[][]string] {
	return rapid.Custom(func(t *rapid.T) [][]string {
		n := rapid.IntRange(1, 4).Draw(t, "columns")
		f := rapid.StringOfN(rapid.SampledFrom([]rune("ab,\"\n\r\t é")), 0, 6, -1)
		rows := rapid.SliceOfN(rapid.SliceOfN(f, n, n), 0, 40).Draw(t, "rows")
		head := make([]string, n)
		for i := range head {
			head[i] = fmt.Sprintf("c%d%s", i, f.Draw(t, "column"))
		}
		return append([][]string{head}, rows...)
	})
}

// Rows with quoted line ends, wherever the file is cut: each is read once, in order, as an object
// with the names of the header.
func TestCSVEverywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := csvRows().Draw(t, "rows")
		dir := tempDir(t)
		text := csvText(t, rows)
		path := put(t, dir, "in.csv", rapid.SampledFrom(packings).Draw(t, "packing"), text)
		block := rapid.Int64Range(1, 200).Draw(t, "block")
		spec := &format.Spec{Name: "csv", NoHeader: rapid.Bool().Draw(t, "no header")}
		j := job{program: onlyValues, block: block, workers: 2, sources: []input.Source{{Paths: []string{path}, Format: spec}}}
		got, counters, err := j.run(t.Context(), dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		var read [][]string
		for line := range strings.Lines(got["all"]) {
			var row []string
			if spec.NoHeader {
				err = json.Unmarshal([]byte(line), &row)
			} else {
				var object map[string]string
				err = json.Unmarshal([]byte(line), &object)
				for _, name := range rows[0] {
					row = append(row, object[name])
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			read = append(read, row)
		}
		want := rows
		if !spec.NoHeader {
			want = rows[1:]
		}
		if len(want) == 0 {
			want = nil
		}
		if diff := cmp.Diff(want, read); diff != "" {
			t.Fatalf("%q in blocks of %d (-want +got):\n%s", text, block, diff)
		}
		if n := count(counters, mapreduce.MapInputRecords); n != int64(len(want)) {
			t.Fatalf("%d records were counted of %d", n, len(want))
		}
	})
}

// What is written as CSV or JSON, packed or not, reads back.
func TestOutputFormats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir := tempDir(t)
		rows := csvRows().Draw(t, "rows")
		pack := rapid.SampledFrom([]string{"", "gzip", "zstd"}).Draw(t, "compress")
		p := &mapreduce.Program{Name: "rows", NewMapper: func(*mapreduce.Context) (mapreduce.Mapper, error) {
			return mapFunc(func(_, _ []byte, out mapreduce.Emitter) error {
				for _, row := range rows[1:] {
					key, value := []byte(row[0]), []byte(nil)
					if len(row) > 1 {
						value = []byte(strings.ReplaceAll(strings.Join(row[1:], "\x00"), "\t", "\x01"))
						value = append([]byte{}, bytes.ReplaceAll(value, []byte{0}, []byte{'\t'})...)
					}
					if err := out.Emit(key, value); err != nil {
						return err
					}
				}
				return nil
			}), nil
		}}
		in := write(t, dir, []string{"once\n"})
		spec := &format.Spec{Name: rapid.SampledFrom([]string{"csv", "json"}).Draw(t, "format")}
		if rapid.Bool().Draw(t, "columns") {
			spec.Columns = rows[0]
		}
		kind, err := codec.ByName(pack)
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(dir, "o")
		_, stats, err := Map(t.Context(), MapConfig{Config: Config{Program: p, Local: filepath.Join(dir, "l"), Out: out, Written: Written{spec, pack}},
			Split: Cut([]input.File{{Path: in[0], Size: 5}}, 100)[0]})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(out, PartName(false, 0)+kind.Extension())
		packed, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if stats.Parts[0].Size != int64(len(packed)) || stats.Parts[0].Name != filepath.Base(path) {
			t.Fatalf("%+v", stats.Parts)
		}
		text := packed
		if kind != codec.None {
			if text, err = io.ReadAll(codec.Open(kind, bytes.NewReader(packed), int64(len(packed)), 0, int64(len(packed)))); err != nil {
				t.Fatal(err)
			}
		}
		if spec.Name == "json" {
			checkJSON(t, rows[1:], text)
			return
		}
		// it drops the CR of quoted line ends
		read, err := csv.NewReader(bytes.NewReader(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\r\r\n")))).ReadAll()
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		want := rows[1:]
		if spec.Columns != nil {
			want = rows
		}
		if len(read) != len(want) {
			t.Fatalf("%d rows of %d in %q", len(read), len(want), text)
		}
		for i, row := range read {
			for k, f := range row {
				wanted := want[i][k]
				if i > 0 || spec.Columns == nil {
					if k > 0 {
						wanted = strings.ReplaceAll(wanted, "\t", "\x01")
					}
				}
				if f != wanted {
					t.Fatalf("%q, want %q, in %q", f, wanted, text)
				}
			}
		}
	})
}

func checkJSON(t *rapid.T, rows [][]string, text []byte) {
	d := json.NewDecoder(bytes.NewReader(text))
	for _, row := range rows {
		var got struct {
			Key   string
			Value *string
		}
		if err := d.Decode(&got); err != nil {
			t.Fatal(err)
		}
		if got.Key != row[0] || (got.Value == nil) != (len(row) == 1) {
			t.Fatalf("%+v is not %q", got, row)
		}
		if len(row) > 1 && strings.ReplaceAll(*got.Value, "\x01", "\t") != strings.Join(row[1:], "\t") {
			t.Fatalf("%+v is not %q", got, row)
		}
	}
	if d.More() {
		t.Fatal("there is more")
	}
}

func mapOne(t *testing.T, c MapConfig, text string, block int64) (string, *mapreduce.Counters, error) {
	t.Helper()
	dir := t.TempDir()
	in := write(t, dir, []string{text})
	splits, _, err := input.Plan([]input.File{{Path: in[0], Size: int64(len(text))}}, block, c.Program, c.Sources)
	if err != nil {
		return "", nil, err
	}
	var all strings.Builder
	counters := mapreduce.NewCounters()
	read := units.Bytes(0)
	for i, s := range splits {
		c.Task, c.Split, c.Local, c.Out = i, s, filepath.Join(dir, "l"), filepath.Join(dir, fmt.Sprint("o", i))
		_, stats, err := Map(t.Context(), c)
		if err != nil {
			return "", nil, err
		}
		counters.Merge(stats.Counters)
		read += stats.Read
		b, err := os.ReadFile(filepath.Join(c.Out, PartName(false, i)))
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	if strings.HasPrefix(text, "\x1f\x8b") && read != units.Bytes(len(text)) {
		t.Errorf("%d bytes were read of a file of %d", read, len(text))
	}
	return all.String(), counters, nil
}

// What a task has read is what it was planned to read; what its mapper got is counted unpacked.
func TestReadIsWhatLiesInFiles(t *testing.T) {
	text := bytes.Repeat([]byte("line\n"), 1000)
	packed, err := codectest.Pack("gzip", [][]byte{text})
	if err != nil {
		t.Fatal(err)
	}
	got, counters, err := mapOne(t, MapConfig{Config: Config{Program: onlyValues}}, string(packed), 10)
	if err != nil || got != string(text) || count(counters, mapreduce.MapInputBytes) != 5000 {
		t.Errorf("%d bytes, %v, %v", len(got), counters, err)
	}
}

// Records that cannot be read fail the attempt with file and number, and can be passed over.
func TestBadRecords(t *testing.T) {
	for _, c := range []struct {
		format, text, want string
		at                 int64
		rest               string
	}{
		{"json", "{\"a\":1}\n\n{\"a\":\n[2]\n", `in-000": record 2, line 3: "{\"a\":" is not JSON`, 2, "{\"a\":1}\n[2]\n"},
		{"csv", "a,b\n1,2\n3\n4,5\n", `in-000": record 2, line 3: it has 1 field, but the header has 2; a value that is missing is an empty field`, 2, "{\"a\":\"1\",\"b\":\"2\"}\n{\"a\":\"4\",\"b\":\"5\"}\n"},
		{"csv", "a\nx\"y\"\nz\n", `record 1, line 2: field 1 has a quote in it and is not quoted`, 1, "{\"a\":\"z\"}\n"},
		{"csv", "a\n\"y\"z\nz\n", `record 1, line 2: field 1 continues after its closing quote`, 1, "{\"a\":\"z\"}\n"},
		{"csv", "a\nz\n\"y\nz\n", `record 2, line 3: field 1 has an opening quote and no closing one`, 2, "{\"a\":\"z\"}\n"},
		{"csv", "a\nz\n\xff\n", `record 2, line 3: field 1: "\xff" is not UTF-8`, 2, "{\"a\":\"z\"}\n"},
	} {
		m := MapConfig{Config: Config{Program: onlyValues}, Sources: []input.Source{{Format: &format.Spec{Name: c.format}}}}
		_, _, err := mapOne(t, m, c.text, 1000)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
			continue
		}
		user, ok := err.(*UserError)
		if !ok || user.Spot == nil || user.Spot.At != c.at {
			t.Errorf("%q: the record is not told: %#v", c.text, err)
			continue
		}
		// A spot holds the path, which is another for each run; so both runs read the same file.
		dir := t.TempDir()
		in := write(t, dir, []string{c.text})
		m.Split = input.Split{Pieces: []input.Piece{{Path: in[0], End: int64(len(c.text))}}, Size: int64(len(c.text))}
		m.Local, m.Out, m.Skip = filepath.Join(dir, "l"), filepath.Join(dir, "o"), &Skip{Spots: []Spot{{Path: in[0], At: c.at}}}
		_, stats, err := Map(t.Context(), m)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		got, err := os.ReadFile(filepath.Join(m.Out, PartName(false, 0)))
		if err != nil || string(got) != c.rest || count(stats.Counters, mapreduce.SkippedRecords) != 1 {
			t.Errorf("%q: %q, %v, %v", c.text, got, err, stats.Counters)
		}
	}
}

// The line of a bad record is that of the file, whichever piece of it the record is in and whatever stands before.
func TestLinesOfBadRecords(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		kind := rapid.SampledFrom([]string{"json", "csv"}).Draw(rt, "format")
		rows := map[string][]string{"json": {`{"a":1}`, "", `[2]`, ` "long long long"`}, "csv": {"1,2", "", "\"x\ny\",2", "\"\n\n\",\"\""}}[kind]
		bad := map[string]string{"json": "{", "csv": "1"}[kind]
		var text string
		if kind == "csv" {
			text = rapid.SampledFrom([]string{"a,b\n", "\na,b\n", "\"a\n\",b\n"}).Draw(rt, "header")
		}
		for _, row := range rapid.SliceOfN(rapid.SampledFrom(rows), 0, 20).Draw(rt, "before") {
			text += row + "\n"
		}
		line := strings.Count(text, "\n") + 1
		text += bad + "\n" + strings.Join(rapid.SliceOfN(rapid.SampledFrom(rows), 0, 5).Draw(rt, "behind"), "\n") + "\n"
		m := MapConfig{Config: Config{Program: onlyValues}, Sources: []input.Source{{Format: &format.Spec{Name: kind}}}}
		_, _, err := mapOne(t, m, text, rapid.Int64Range(1, 60).Draw(rt, "block"))
		if want := fmt.Sprintf(", line %d: ", line); err == nil || !strings.Contains(err.Error(), want) {
			rt.Fatalf("%q: %v, want %q", text, err, want)
		}
	})
}

func TestFormatsFail(t *testing.T) {
	csv := []input.Source{{Format: &format.Spec{Name: "csv"}}}
	for want, c := range map[string]struct {
		m    MapConfig
		text string
	}{
		`in-000": the header: field 1 continues`:           {MapConfig{Config: Config{Program: onlyValues}, Sources: csv}, "\"a\"b\n"},
		`in-000": the header: it has the column "a" twice`: {MapConfig{Config: Config{Program: onlyValues}, Sources: csv}, "a,a\n1,2\n"},
		`there is no format "xml" of input`:                {MapConfig{Config: Config{Program: onlyValues}, Sources: []input.Source{{Format: &format.Spec{Name: "xml"}}}}, "x"},
		`reads records of 3 bytes and no other format`:     {MapConfig{Config: Config{Program: &mapreduce.Program{Name: "p", Records: mapreduce.Records{Length: 3}}}, Sources: csv}, "abc"},
		`there is no format "xml" of output`:               {MapConfig{Config: Config{Program: onlyValues, Written: Written{Format: &format.Spec{Name: "xml"}}}}, "x"},
		`output cannot be compressed with "lz4"`:           {MapConfig{Config: Config{Program: onlyValues, Written: Written{Compress: "lz4"}}}, "x"},
		`output: record 1 with the key "": the value "\xf`: {MapConfig{Config: Config{Program: onlyValues, Written: Written{Format: &format.Spec{Name: "json"}}}}, "\xff"},
		`it ends at byte 12, in the middle of its gzip`:    {MapConfig{Config: Config{Program: onlyValues}}, "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x01\x02"},
		`in-000": its zstd data are damaged before byte`:   {MapConfig{Config: Config{Program: onlyValues}}, "\x28\xb5\x2f\xfd\x04\x00\x07\x00\x00abcdefg"},
		`both raw output and a format of its output`:       {MapConfig{Config: Config{Program: &mapreduce.Program{Raw: true, Output: mapreduce.JSONLines{}}}}, "x"},
		`reading record 2`:                                 {MapConfig{Config: Config{Program: &mapreduce.Program{Name: "own", Input: own{}}}}, "1\n2\n"},
	} {
		if _, _, err := mapOne(t, c.m, c.text, 1000); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", c.text, err, want)
		}
	}
}

// own is a format that somebody wrote.
type own struct{}

func (own) Cutting() mapreduce.Cutting { return mapreduce.AtLines }

func (own) Open(in io.Reader, of mapreduce.Input) (mapreduce.RecordReader, error) {
	return &ownReader{in: in}, nil
}

type ownReader struct {
	in io.Reader
	n  int
}

func (o *ownReader) Next() (key, value []byte, err error) {
	if o.n++; o.n == 2 {
		panic("reading record 2")
	}
	return []byte("k"), []byte("v"), nil
}

// Key-value lines, JSON lines, whole files; names of inputs.
func TestRecordsOfFormats(t *testing.T) {
	named := &mapreduce.Program{Name: "named", NewMapper: func(c *mapreduce.Context) (mapreduce.Mapper, error) {
		return mapFunc(func(key, value []byte, out mapreduce.Emitter) error {
			if len(key) == 8 {
				key = fmt.Append(nil, mapreduce.Offset(key))
			}
			return out.Emit([]byte(c.Input().Name+" "+filepath.Base(string(key))), value)
		}), nil
	}}
	for name, c := range map[string]struct{ text, want string }{
		"kv":    {"a\tb\tc\nd\n", "n a\tb\tc\nn d\n"},
		"json":  {" [1] \r\n\n\"x\"", "n .\t[1]\nn .\t\"x\"\n"},
		"csv":   {"\xef\xbb\xbfa\r\n\n\"1\"\"\n2\"\n", "n .\t{\"a\":\"1\\\"\\n2\"}\n"},
		"whole": {"a\nb", "n in-000\ta\nb\n"},
		"text":  {"a\nb", "n 0\ta\nn 2\tb\n"},
	} {
		for _, block := range []int64{1, 2, 1000} {
			got, _, err := mapOne(t, MapConfig{Config: Config{Program: named}, Sources: []input.Source{{Name: "n", Format: &format.Spec{Name: name}}}}, c.text, block)
			if err != nil || got != c.want {
				t.Errorf("%s in blocks of %d: %q, %v, want %q", name, block, got, err, c.want)
			}
		}
	}
}

// Large files that cannot be cut are one task each, and told.
func TestPlanTellsWhatIsWhole(t *testing.T) {
	dir := t.TempDir()
	var files []input.File
	add := func(name, text string, source int) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		files = append(files, input.File{Path: filepath.Join(dir, name), Size: int64(len(text)), Source: source})
	}
	parts := make([][]byte, 20)
	for i := range parts {
		parts[i] = bytes.Repeat([]byte{byte('a' + i), byte('A' + i), '\n'}, 20)
	}
	packed := func(kind string, parts ...[]byte) string {
		b, err := codectest.Pack(kind, parts)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	add("a.txt", strings.Repeat("ab\n", 100), 0)
	add("b", packed("gzip", parts...), 0)
	add("c", packed("zstd", parts...), 0)
	var one bytes.Buffer
	z, err := codec.Zstd.NewWriter(&one)
	if err == nil {
		_, err = z.Write(bytes.Join(parts, nil))
	}
	if err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	add("d", one.String(), 0)
	add("e", packed("bzip2", parts...), 1)
	add("h", packed("zstd", parts...), 1)
	add("f", strings.Repeat("\"", 100), 1)
	add("g", strings.Repeat("whole", 100), 2)
	sources := []input.Source{{}, {Format: &format.Spec{Name: "csv"}}, {Format: &format.Spec{Name: "whole"}}}
	splits, whole, err := input.Plan(files, 50, onlyValues, sources)
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, w := range whole {
		told = append(told, filepath.Base(w.Path)+" "+w.Why)
	}
	want := []string{"b gzip cannot be split", "d its zstd data cannot be split anywhere",
		"e bzip2 cannot be split", "h its records cannot be found, as it is compressed with zstd", "f it has no row after which it could be split", "g its records must not be split"}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(splits) < 6+5+2 {
		t.Errorf("%d splits", len(splits))
	}
}

// What the header of a file of CSV says is seen before any task reads it, and by a task as what will not change.
func TestHeadersThatCannotBe(t *testing.T) {
	for text, want := range map[string]string{
		"a,b,a\n1,2,3\n": `the header: it has the column "a" twice`,
		"a,b\"\n1,2\n":   "the header: field 2 has a quote in it and is not quoted",
		"a,\xff\n1,2\n":  `is not UTF-8`,
	} {
		in := write(t, t.TempDir(), []string{text})
		p := &mapreduce.Program{Name: "x", NewMapper: newMapper(mapreduce.Identity{}), Input: mapreduce.CSV{}}
		files, err := input.Find(in)
		if err != nil {
			t.Fatal(err)
		}
		_, _, planned := input.Plan(files, 100, p, nil)
		_, _, ran := job{program: p, block: 100, reduces: 1}.run(t.Context(), t.TempDir(), in)
		for _, err := range []error{planned, ran} {
			if err == nil || !strings.Contains(err.Error(), want) || failure.Of(err) != failure.Permanent {
				t.Errorf("%q: %v, want %s", text, err, want)
			}
		}
	}
}
