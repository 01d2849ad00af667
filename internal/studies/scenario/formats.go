package scenario

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/slackline/slackline/internal/config"
)

// Formats are the keys of a job file about what stands in the files that are read and written.
type Formats struct {
	Inputs       []Part `json:"inputs" doc:"several inputs that differ in name, format or mapper command; instead of input"`
	InputFormat  string `json:"input_format" enum:"text|kv|json|csv|whole" doc:"what records are: lines, key TAB value lines, JSON lines, CSV, or whole files; the application's default if left out, mostly lines"`
	OutputFormat string `json:"output_format" enum:"text|raw|json|csv" doc:"how records are written: key TAB value lines, as they are (raw), JSON lines, or CSV; the application's default if left out"`
	CSV          CSV    `json:"csv" doc:"how CSV is read and written"`
	Compress     string `json:"compress" enum:"gzip|zstd" doc:"what part files are compressed with; nothing if left out"`
}

// Part is one of several inputs of a job.
type Part struct {
	Path   config.Texts `json:"path" need:"yes" doc:"files, directories and globs to read"`
	Name   string       `json:"name" label:"yes" doc:"its name, for mappers that tell inputs apart; its number, from 1, if left out"`
	Format string       `json:"format" enum:"text|kv|json|csv|whole" doc:"what records are; as input_format says if left out"`
	CSV    PartCSV      `json:"csv" doc:"how it is read as CSV, where that differs from csv of the job"`
	Map    string       `json:"map" doc:"the mapper's command for it; the job's if left out"`
}

// PartCSV is how one of several inputs is read as CSV.
type PartCSV struct {
	Delimiter string `json:"delimiter" doc:"what separates fields: one character; as csv of the job says if left out"`
	NoHeader  *bool  `json:"no_header" doc:"true: it has no header, so records are lists of fields without names; as csv of the job says if left out"`
}

// CSV is how comma-separated values are read and written.
type CSV struct {
	Delimiter string       `json:"delimiter" def:"," doc:"what separates fields: one character"`
	NoHeader  bool         `json:"no_header" doc:"true: what is read has no header, so records are lists of fields without names"`
	Columns   config.Texts `json:"columns" doc:"header of each part file that is written; none if left out"`
}

// checkInputs looks at where records come from, and lists all files in Input.
func (j *Job) checkInputs() {
	d := j.src
	if !d.Has("inputs") {
		if !d.Has("input") {
			d.Failf("", `the key "input" is missing: files, directories and globs to read`)
		}
		return
	}
	if d.Has("input") {
		d.Failf("inputs", "input and inputs contradict each other: give one of them")
		return
	}
	if len(j.Inputs) == 0 {
		d.Failf("inputs", "inputs names nothing to read; give a list of mappings with the key path")
	}
	names := map[string]bool{}
	for i := range j.Inputs {
		p := &j.Inputs[i]
		at := fmt.Sprintf("inputs[%d]", i)
		p.Name = cmp.Or(p.Name, strconv.Itoa(i+1))
		if names[p.Name] {
			d.Failf(at, "%s: another input has the name %q; give each its own", at, p.Name)
		}
		names[p.Name] = true
		if len(p.Path) == 0 {
			d.Failf(at+".path", "%s.path names nothing to read; give files, directories or globs", at)
		}
		if p.Map != "" && !d.Has("map") {
			d.Failf(at+".map", "%s.map and app contradict each other: only jobs of commands, which have map, have mapper commands; leave it out", at)
		}
		format := cmp.Or(p.Format, j.InputFormat)
		if d.Has(at+".csv") && format != "csv" {
			d.Failf(at+".csv", "%s.csv says how it is read as CSV, and its format is not csv; set %s.format to csv, or leave csv out", at, at)
		}
		if d.Has(at + ".csv.delimiter") {
			j.checkDelimiter(at+".csv.delimiter", p.CSV.Delimiter)
		}
		if format == "csv" {
			p.CSV.Delimiter = cmp.Or(p.CSV.Delimiter, j.CSV.Delimiter)
			p.CSV.NoHeader = cmp.Or(p.CSV.NoHeader, &j.CSV.NoHeader)
		}
		j.Input = append(j.Input, p.Path...)
	}
}

// checkDelimiter looks whether one can stand between fields.
func (j *Job) checkDelimiter(key, text string) {
	if len(text) != 1 || text[0] >= utf8.RuneSelf || strings.Contains("\"\r\n", text) {
		j.src.Failf(key, "%s is %q, it must be one ASCII character, and neither a quote nor a line end", key, text)
	}
}

// checkFormats looks for formats that contradict each other or the rest.
func (j *Job) checkFormats() {
	d := j.src
	reads := map[string]bool{j.InputFormat: true}
	keys := map[string]string{j.InputFormat: "input_format"}
	for i, p := range j.Inputs {
		reads[p.Format] = true
		keys[p.Format] = fmt.Sprintf("inputs[%d].format", i)
	}
	writes := j.OutputFormat == "csv"
	j.checkDelimiter("csv.delimiter", j.CSV.Delimiter)
	switch {
	case d.Has("csv") && !reads["csv"] && !writes:
		d.Failf("csv", "csv says how CSV is read and written, and no format is csv; set input_format or output_format to csv, or leave csv out")
	case d.Has("csv.columns") && !writes:
		d.Failf("csv.columns", "csv.columns and output_format contradict each other: columns are the header of what is written as csv; set output_format to csv, or leave columns out")
	case d.Has("csv.no_header") && !reads["csv"]:
		d.Failf("csv.no_header", "csv.no_header and input_format contradict each other: it applies only to csv input; set input_format to csv, or leave no_header out")
	}
	if !d.Has("map") {
		return
	}
	for _, format := range []string{"kv", "whole"} {
		if reads[format] {
			d.Failf(keys[format], "%s and map contradict each other: a command reads lines, and can read only the formats text, json and csv", keys[format])
		}
	}
}
