package report

import (
	"encoding/csv"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// measured are the fields of the summary that differ from one time to the next.
var measured = []string{"wall_s", "events_per_s"}

// WriteCSV writes a line for each run: what was played, the values of a sweep, and the summary
// without what was measured, so that the same runs give the same bytes. The names of the columns
// are those of the JSON. Where a trace is played, its rule and the number of its records that were
// left out stand at the end. A run that got stuck has nothing but its reason.
func (r *Report) WriteCSV(w io.Writer) error {
	swept := map[string]bool{}
	for _, run := range r.Runs {
		for name := range run.Params {
			swept[name] = true
		}
	}
	params := slices.Sorted(maps.Keys(swept))
	head := append([]string{"world", "scenario", "policy", "seed"}, params...)
	t := reflect.TypeFor[Summary]()
	var fields []int
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("json"); !slices.Contains(measured, name) {
			head, fields = append(head, name), append(fields, i)
		}
	}
	head = append(head, "stuck")
	traced := slices.ContainsFunc(r.Runs, func(run *Run) bool { return run.Trace != nil })
	if traced {
		head = append(head, "trace_rule", "trace_left_out")
	}
	out := csv.NewWriter(w)
	_ = out.Write(head) // an error stays until Flush
	for _, run := range r.Runs {
		row := []string{run.World, run.Scenario, run.Policy, strconv.FormatUint(run.Seed, 10)}
		for _, p := range params {
			row = append(row, run.Params[p])
		}
		s := reflect.ValueOf(&run.Summary).Elem()
		for _, i := range fields {
			if run.Stuck != "" {
				row = append(row, "")
				continue
			}
			row = append(row, cell(s.Field(i)))
		}
		row = append(row, run.Stuck)
		if traced {
			row = append(row, run.Trace.cells()...)
		}
		_ = out.Write(row)
	}
	out.Flush()
	return out.Error()
}

// cells are the rule of a trace, and how many of its records were not played.
func (t *Trace) cells() []string {
	if t == nil {
		return []string{"", ""}
	}
	out := 0
	for _, l := range t.LeftOut {
		out += int(l.Count)
	}
	return []string{strconv.Itoa(t.Rule), strconv.Itoa(out)}
}

// WriteComparisons writes a line for each comparison, as CSV with the names of the JSON.
func (r *Report) WriteComparisons(w io.Writer) error {
	swept := map[string]bool{}
	for i := range r.Comparisons {
		for name := range r.Comparisons[i].Params {
			swept[name] = true
		}
	}
	params := slices.Sorted(maps.Keys(swept))
	head := slices.Clone(params)
	t := reflect.TypeFor[Comparison]()
	var fields []int
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("json"); name != "" && t.Field(i).Name != "Params" {
			head, fields = append(head, name), append(fields, i)
		}
	}
	out := csv.NewWriter(w)
	_ = out.Write(head) // an error stays until Flush
	for i := range r.Comparisons {
		c := reflect.ValueOf(&r.Comparisons[i]).Elem()
		var row []string
		for _, p := range params {
			row = append(row, r.Comparisons[i].Params[p])
		}
		for _, k := range fields {
			row = append(row, cell(c.Field(k)))
		}
		_ = out.Write(row)
	}
	out.Flush()
	return out.Error()
}

func cell(v reflect.Value) string {
	switch v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Pointer:
		if v.IsNil() {
			return ""
		}
		return cell(v.Elem())
	case reflect.Float64:
		x := v.Float()
		if size := math.Abs(x); size >= 1e-6 && size < 1e21 { // in full, as in JSON
			return strconv.FormatFloat(x, 'f', -1, 64)
		}
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return strconv.FormatInt(v.Int(), 10)
}

// Untimed takes out what was measured, so that equal results are equal bytes.
func (r *Report) Untimed() {
	for _, run := range r.Runs {
		run.Summary.Wall, run.Summary.EventsPerSec = 0, 0
		run.Real = nil
	}
}

// sweepName tells runs of a sweep apart in a title.
func sweepName(run *Run) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(run.Params)) {
		parts = append(parts, name+"="+run.Params[name])
	}
	return strings.Join(append([]string{run.Scenario}, parts...), " ")
}
