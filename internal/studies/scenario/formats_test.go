package scenario

import (
	"reflect"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/config"
)

func TestFormatsOfJobs(t *testing.T) {
	j, err := ReadJob("f.yaml", []byte("app: join\ninputs:\n  - {name: left, path: [a, b], format: csv, csv: {no_header: true}}\n  - {path: c}\n  - {path: d, format: csv, csv: {delimiter: \"|\"}}\noutput: o\ninput_format: json\noutput_format: csv\ncsv: {delimiter: ;, columns: [x, y]}\ncompress: zstd\n"))
	if err != nil {
		t.Fatal(err)
	}
	yes, no := true, false
	want := Formats{Inputs: []Part{{Path: config.Texts{"a", "b"}, Name: "left", Format: "csv", CSV: PartCSV{";", &yes}}, {Path: config.Texts{"c"}, Name: "2"},
		{Path: config.Texts{"d"}, Name: "3", Format: "csv", CSV: PartCSV{"|", &no}}}, InputFormat: "json", OutputFormat: "csv",
		CSV: CSV{Delimiter: ";", Columns: config.Texts{"x", "y"}}, Compress: "zstd"}
	if !reflect.DeepEqual(j.Formats, want) || !reflect.DeepEqual(j.Input, config.Texts{"a", "b", "c", "d"}) {
		t.Errorf("%+v", j)
	}
}

func TestFormatsThatContradict(t *testing.T) {
	for keys, want := range map[string]string{
		"app: a":                                `f.yaml:1:1: the key "input" is missing: files, directories and globs to read`,
		"app: a\ninput: []":                     "f.yaml:2:8: input names nothing to read",
		"app: a\ninputs: []":                    "f.yaml:2:9: inputs names nothing to read",
		"app: a\ninputs: [{name: x}]":           `f.yaml:2:10: the key "path" in inputs[0] is missing`,
		"app: a\ninputs: [{path: []}]":          "f.yaml:2:17: inputs[0].path names nothing to read",
		"app: a\ninput: x\ninputs: [{path: y}]": "f.yaml:3:9: input and inputs contradict each other",
		"app: a\ninputs: [{path: y, name: n}, {path: z, name: n}]":         `another input has the name "n"`,
		"app: a\ninputs: [{path: y, map: cat}]":                            "inputs[0].map and app contradict each other",
		"app: a\ninput: x\ninput_format: xml":                              `f.yaml:3:15: input_format is "xml", it must be`,
		"app: a\ninput: x\ncompress: bzip2":                                `compress is "bzip2", it must be "gzip" or "zstd"`,
		"app: a\ninput: x\ncsv: {no_header: true}":                         "csv says how CSV is read and written, and no format is csv",
		"app: a\ninput: x\ninput_format: csv\ncsv: {columns: [a]}":         "csv.columns and output_format contradict each other",
		"app: a\ninput: x\noutput_format: csv\ncsv: {no_header: true}":     "csv.no_header and input_format contradict each other",
		"app: a\ninput: x\noutput_format: csv\ncsv: {delimiter: '\"'}":     "csv.delimiter is",
		"app: a\ninputs: [{path: x, csv: {no_header: true}}]":              "f.yaml:2:25: inputs[0].csv says how it is read as CSV, and its format is not csv; set inputs[0].format to csv, or leave csv out",
		"app: a\ninputs: [{path: x, format: csv, csv: {delimiter: ''}}]":   `f.yaml:2:50: inputs[0].csv.delimiter is "", it must be one ASCII character`,
		"app: a\ninputs: [{path: x, format: csv, csv: {delimiter: ';;'}}]": `inputs[0].csv.delimiter is ";;", it must be one ASCII character`,
		"app: a\ninputs: [{path: x, format: csv, csv: {columns: [a]}}]":    `f.yaml:2:`,
		"map: a\ninput: x\ninput_format: whole":                            "f.yaml:3:15: input_format and map contradict each other",
		"map: a\ninputs: [{path: x, format: kv}]":                          "inputs[0].format and map contradict each other",
	} {
		_, err := ReadJob("f.yaml", []byte(keys+"\noutput: o\n"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", keys, err, want)
		}
	}
}
