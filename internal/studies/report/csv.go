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
	"time"

	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/studies/account"
)

// measured are the fields of the summary that differ from one time to the next.
var measured = []string{"wall_s", "events_per_s"}

// WriteCSV writes a line for each run: what was played, the values of a sweep, and the summary
// without what was measured, so that the same runs give the same bytes. The names of the columns
// are those of the JSON. Where a trace is played, its rule and the number of its records that were
// left out stand at the end. A run that got stuck has nothing but its reason.
func (r *Report) WriteCSV(w io.Writer) error {
	params := sweptBy(r.Runs, func(run *Run) map[string]string { return run.Params })
	names, fields := headings[Summary](func(name string) bool { return !slices.Contains(measured, name) })
	head := slices.Concat(keys, params, names, []string{"stuck"})
	if r.traced() {
		head = append(head, traceColumns...)
	}
	rows := [][]string{head}
	for _, run := range r.Runs {
		row := run.key(params)
		if run.Stuck != "" {
			row = append(row, make([]string, len(fields))...)
		} else {
			row = append(row, values(run.Summary, fields)...)
		}
		row = append(row, run.Stuck)
		if r.traced() {
			row = append(row, run.Trace.cells()...)
		}
		rows = append(rows, row)
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// keys are the columns that tell runs apart, with the values of a sweep behind them.
var keys = []string{"world", "scenario", "policy", "seed"}

func (r *Run) key(params []string) []string {
	row := []string{r.World, r.Scenario, r.Policy, strconv.FormatUint(r.Seed, 10)}
	return append(row, each.Of(params, func(p string) string { return r.Params[p] })...)
}

// Beside puts the keys of each run before its rows, and the heading over all.
func (r *Report) Beside(heading []string, of [][][]string) [][]string {
	params := sweptBy(r.Runs, func(run *Run) map[string]string { return run.Params })
	all := [][]string{slices.Concat(keys, params, heading)}
	for i, run := range r.Runs {
		for _, row := range of[i] {
			all = append(all, append(run.key(params), row...))
		}
	}
	return all
}

// WriteJobs writes a line for each job, as CSV with the names of the JSON, and the seconds that went to each cause.
func (r *Report) WriteJobs(w io.Writer) error {
	names, fields := headings[Job](func(name string) bool { return !slices.Contains([]string{"account", "work", "expected"}, name) })
	of := each.Of(r.Runs, func(run *Run) [][]string {
		return each.Of(run.Jobs, func(j Job) []string {
			return slices.Concat(values(j, fields), each.Of(account.Causes, func(c account.Cause) string {
				i := slices.IndexFunc(j.Causes, func(t account.Total) bool { return t.Cause == c })
				switch {
				case i >= 0:
					return strconv.FormatFloat(j.Causes[i].Took.Seconds(), 'f', -1, 64)
				case j.Causes == nil: // nobody kept accounts
					return ""
				}
				return "0"
			}))
		})
	})
	heading := slices.Concat(names, each.Of(account.Causes, func(c account.Cause) string { return "time_" + string(c) + "_s" }))
	return csv.NewWriter(w).WriteAll(r.Beside(heading, of))
}

// WriteNodes writes a line for each node on which attempts drew something, as CSV with the names of the JSON.
func (r *Report) WriteNodes(w io.Writer) error {
	of := each.Of(r.Runs, func(run *Run) [][]string { return Rows(run.Nodes)[1:] })
	return csv.NewWriter(w).WriteAll(r.Beside(Rows[NodeUse](nil)[0], of))
}

// sweptBy are the names of the values of a sweep, of all in a list.
func sweptBy[T any](list []T, params func(T) map[string]string) []string {
	swept := map[string]bool{}
	for _, x := range list {
		for name := range params(x) {
			swept[name] = true
		}
	}
	return slices.Sorted(maps.Keys(swept))
}

// headings are the names in JSON of those fields of a struct that are wanted, and their numbers. A list has no cell,
// nor has what would be several of them.
func headings[T any](wanted func(name string) bool) (names []string, fields [][]int) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && f.Type.Kind() != reflect.Slice && f.Type != reflect.TypeFor[*Uses]() && wanted(name) {
			names, fields = append(names, name), append(fields, f.Index)
		}
	}
	return names, fields
}

// values are those of these fields.
func values(of any, fields [][]int) []string {
	return each.Of(fields, func(i []int) string { return cell(reflect.ValueOf(of).FieldByIndex(i)) })
}

// Rows are the lines of a CSV file with a list of structs: the names of their fields in JSON, and each of them.
func Rows[T any](list []T) [][]string {
	names, fields := headings[T](func(string) bool { return true })
	return append([][]string{names}, each.Of(list, func(x T) []string { return values(x, fields) })...)
}

// traceColumns stand at the end of lines where any run plays a trace.
var traceColumns = []string{"trace_rule", "trace_left_out"}

func (r *Report) traced() bool {
	return slices.ContainsFunc(r.Runs, func(run *Run) bool { return run.Trace != nil })
}

// cells are the rule of a trace, and how many of its records were not played.
func (t *Trace) cells() []string {
	if t == nil {
		return []string{"", ""}
	}
	return []string{strconv.Itoa(t.Rule), strconv.Itoa(t.Left())}
}

// WriteComparisons writes a line for each comparison, as CSV with the names of the JSON; what is said of a trace stands
// at the end, as in the lines of runs.
func (r *Report) WriteComparisons(w io.Writer) error {
	params := sweptBy(r.Comparisons, func(c Comparison) map[string]string { return c.Params })
	names, fields := headings[Comparison](func(name string) bool { return !strings.HasPrefix(name, "params") })
	head := slices.Concat(params, names)
	if r.traced() {
		head = append(head, traceColumns...)
	}
	rows := [][]string{head}
	for _, c := range r.Comparisons {
		row := append(each.Of(params, func(p string) string { return c.Params[p] }), values(c, fields)...)
		if r.traced() {
			of := slices.IndexFunc(r.Runs, func(run *Run) bool { return run.Scenario == c.Scenario && maps.Equal(run.Params, c.Params) })
			row = append(row, r.Runs[of].Trace.cells()...)
		}
		rows = append(rows, row)
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// cell is a value as a field of CSV: nothing, where it is not known.
func cell(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Struct:
		return v.Interface().(time.Time).Format(time.RFC3339)
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

// Name tells runs of a sweep apart: the scenario with the values of the sweep.
func (r *Run) Name() string { return Named(r.Scenario, r.Params) }

// Named is a scenario with values of a sweep.
func Named(scenario string, params map[string]string) string {
	for _, name := range slices.Sorted(maps.Keys(params)) {
		scenario += " " + name + "=" + params[name]
	}
	return scenario
}
