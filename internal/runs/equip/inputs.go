package equip

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/apps"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/maths/spelling"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/engine/format"
	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/internal/worlds/engine/task"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/units"
)

// sources are the inputs of a job file with their names and formats.
func sources(f *scenario.Job) []input.Source {
	spec := func(name, delimiter string, noHeader *bool) *format.Spec {
		name = cmp.Or(name, f.InputFormat)
		switch name {
		case "":
			return nil
		case "csv":
			return &format.Spec{Name: name, Delimiter: delimiter, NoHeader: *noHeader}
		}
		return &format.Spec{Name: name}
	}
	if len(f.Inputs) == 0 {
		return []input.Source{{Paths: f.Input, Format: spec("", f.CSV.Delimiter, &f.CSV.NoHeader)}}
	}
	return each.Of(f.Inputs, func(in scenario.Part) input.Source {
		return input.Source{Name: in.Name, Paths: in.Path, Format: spec(in.Format, in.CSV.Delimiter, in.CSV.NoHeader)}
	})
}

// written is how a job file wants its output written.
func written(f *scenario.Job) task.Written {
	w := task.Written{Compress: f.Compress}
	switch f.OutputFormat {
	case "":
	case "csv":
		w.Format = &format.Spec{Name: "csv", Delimiter: f.CSV.Delimiter, Columns: f.CSV.Columns}
	default:
		w.Format = &format.Spec{Name: f.OutputFormat}
	}
	return w
}

// cut cuts the input, unless another job is to write it.
func (j *Job) cut(fed bool, o Options) error {
	f, p := j.File, j.Program
	if j.commands() {
		p = &mapreduce.Program{Name: f.Name} // for errors
	}
	if err := task.CheckFormats(p, j.Sources, j.Written); err != nil {
		at := "input_format"
		if j.Written.Format != nil && p.Raw {
			at = "output_format"
		}
		return f.Errorf(at, "%v; leave %s out", err, at)
	}
	if fed {
		return nil
	}
	key := "input"
	if len(f.Inputs) > 0 {
		key = "inputs"
	}
	var err error
	if j.Files, err = input.FindAll(j.Sources); err != nil {
		return f.Errorf(key, "%v", err)
	}
	if in := input.Through(f.Input, j.Files, f.Output); in != "" {
		return f.Errorf("output", "%s", f.Overlaps(in))
	}
	if err := j.checkSources(); err != nil {
		return err
	}
	if j.Splits, j.Odd, err = input.Plan(j.Files, int64(cmp.Or(o.Block, input.Block(input.Total(j.Files), o.Maps))), p, j.Sources); err != nil {
		return f.Errorf(key, "%v", err)
	}
	return nil
}

// empty warns of input in which there is nothing to read, or what is no text: a night whose data have
// not come looks like one that went well.
func (j *Job) empty(warn func(text string)) {
	if warn == nil {
		return
	}
	say := func(format string, args ...any) {
		warn(fmt.Sprintf("warning: job %q: "+format, append([]any{j.File.Name}, args...)...))
	}
	for _, note := range odd([]*Job{j}, func(what string) bool { return what != input.OneTask }) {
		say("%s", note)
	}
	filled := slices.ContainsFunc(j.Files, func(f input.File) bool { return f.Size > 0 })
	if len(j.Files) > 0 && !filled {
		say("its input is empty: %s of 0 bytes", units.Count(len(j.Files), "file"))
	}
	rest := j.Files // in the order of the paths
	for _, path := range j.File.Input {
		of := func(f input.File) bool { return input.Leads(path, f.Path) }
		found := false
		for ; len(rest) > 0 && of(rest[0]); rest = rest[1:] {
			found = true
		}
		if !found && !slices.ContainsFunc(j.Files, of) {
			say("there is no file in its input %q (those whose names begin with _ or . are not read)", path)
		}
	}
}

// checkSources checks that a built-in application can read the inputs, and that files of CSV have
// the columns that it asks for.
func (j *Job) checkSources() error {
	f := j.File
	key := func(i int) string {
		if len(f.Inputs) == 0 {
			return "input"
		}
		return fmt.Sprintf("inputs[%d]", i)
	}
	list := make([]apps.Source, len(j.Sources))
	for i, in := range j.Sources {
		list[i].Name = in.Name
		if in.Format != nil {
			list[i].Format, list[i].NoHeader = in.Format.Name, in.Format.NoHeader
		}
	}
	columns := make([]string, len(list))
	if app, err := apps.Find(f.App); err == nil && !j.commands() { // it is ours
		var at int
		if columns, at, err = app.CheckSources(f.Params, list); err != nil {
			return f.Errorf(key(at), "%v", err)
		}
	}
	for _, file := range j.Files {
		column := columns[file.Source]
		if list[file.Source].Format != "csv" || list[file.Source].NoHeader {
			continue
		}
		form, err := j.Sources[file.Source].Format.Input()
		if err != nil {
			return f.Errorf("csv", "%v", err)
		}
		csv, _ := form.(mapreduce.CSV)
		names, err := input.Columns(file, csv, f.SkipBad > 0)
		others := strings.ReplaceAll(";\t|,", string(cmp.Or(csv.Comma, ',')), "") // that may separate its columns
		switch {
		case err != nil && len(names) != 1:
			return f.Errorf(key(file.Source), "%v", err)
		case len(names) == 1 && strings.ContainsAny(names[0], others):
			at := strings.IndexAny(names[0], others)
			return f.Errorf(key(file.Source), "input %q: its header is one column, %q; write csv: {delimiter: %q} if that separates them", file.Path, names[0], names[0][at:at+1])
		case err != nil:
			return f.Errorf(key(file.Source), "%v", err)
		case column == "":
		case names == nil:
			return f.Errorf(key(file.Source), "input %q: it is empty, but a header with the column %q is needed", file.Path, column)
		case !slices.Contains(names, column):
			return f.Errorf(key(file.Source), "input %q: its header has no column %q%s", file.Path, column, spelling.Hint(column, names))
		}
	}
	return nil
}

// Notes tell what of the input is not cut, so that one task has to read the whole of it, and which jobs
// start a command for each of many small files.
func Notes(jobs []*Job) []string {
	notes := odd(jobs, func(what string) bool { return what == input.OneTask })
	for _, j := range jobs {
		if note := j.manyCommands(); note != "" {
			notes = append(notes, note)
		}
	}
	return notes
}

// odd are the sentences on files that are odd in such ways.
func odd(jobs []*Job, ways func(what string) bool) (notes []string) {
	var order []input.Odd
	files := map[input.Odd][]string{} // that are odd in the same way
	for _, j := range jobs {
		for _, o := range j.Odd {
			if !ways(o.What) {
				continue
			}
			way := input.Odd{What: o.What, Why: o.Why}
			if files[way] == nil {
				order = append(order, way)
			}
			files[way] = append(files[way], o.Path)
		}
	}
	for _, way := range order {
		list := files[way]
		if len(list) > 1 && way.What == input.OneTask {
			way.What = "one task each reads all of"
		}
		shown, more := list, ""
		if len(list) > 3 {
			shown, more = list[:3], fmt.Sprintf(" and %d more", len(list)-3)
		}
		notes = append(notes, fmt.Sprintf("%s %s%s: %s", way.What, strings.Join(shown, ", "), more, way.Why))
	}
	return notes
}

const (
	manyStarts = 8       // of a command by one map; more of them are many
	smallFiles = 1 << 20 // less, in bytes and on average, is small: starting a command takes about as long as its work
)

// manyCommands says that maps of a job start their command for one small file after the other, and
// with what they would not. Whoever wrote the command has to decide: it may look at the name of its
// file, or do something at its end.
func (j *Job) manyCommands() string {
	f, splits := j.File, j.Splits
	if !j.commands() || f.OneCommand {
		return ""
	}
	files, most := 0, 0
	for i := range splits {
		files, most = files+len(splits[i].Pieces), max(most, len(splits[i].Pieces))
	}
	if most <= manyStarts || j.Size()/int64(files) >= smallFiles {
		return ""
	}
	return fmt.Sprintf("job %q: its map command is started for each of %d files, of %v on average, up to %d times in one map; with one_command: true it is started once for each map (here %d), if it can read the files as one",
		f.Name, files, units.Bytes(j.Size()/int64(files)), most, len(splits))
}
