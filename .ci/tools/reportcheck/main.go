// Command reportcheck is what CI knows about the command's output: the shape of its JSON report,
// and how to spoil a journal.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

const usage = `usage:
	reportcheck shape REPORT RUNS JOBS    has it at least so many runs, and jobs in each, in the promised shape?
	reportcheck same REPORT REPORT        do two agree but for the time they took?
	reportcheck tamper altered|removed JOURNAL COPY   spoil a line in the middle of the copy and print its number`

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "reportcheck:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 4 && args[0] == "shape":
		runs, err := strconv.Atoi(args[2])
		if err != nil {
			return err
		}
		jobs, err := strconv.Atoi(args[3])
		if err != nil {
			return err
		}
		return shape(args[1], runs, jobs)
	case len(args) == 3 && args[0] == "same":
		return same(args[1], args[2])
	case len(args) == 4 && args[0] == "tamper":
		return tamper(args[1], args[2], args[3])
	}
	return errors.New(usage)
}

// What a value of the report may be. Fields may be added to a report, never renamed.
type kind string

const (
	number kind = "number"
	text   kind = "string"
	truth  kind = "bool"
)

type field struct {
	name string
	kind kind
	null bool // or null
}

func fields(k kind, null bool, names string) (out []field) {
	for name := range strings.FieldsSeq(names) {
		out = append(out, field{name, k, null})
	}
	return out
}

var (
	runFields = slices.Concat(fields(text, false, "world scenario policy"), fields(number, false, "seed"))

	summaryFields = slices.Concat(
		fields(number, false, `jobs admitted refused kept broken met late done failed killed interrupted unfinished promised deadlines in_time
			soft_deadlines soft_in_time penalty makespan_s map_utilization reduce_utilization reduce_idle_s map_slots reduce_slots vcores memory_bytes tasks attempts
			events wall_s events_per_s`),
		fields(number, true, "deadline_work_s work_in_time_s mean_response_s p95_response_s map_locality rack_locality energy_kwh green_kwh brown_kwh vcore_utilization memory_utilization"))

	jobFields = slices.Concat(
		fields(text, false, "id class queue reason outcome"),
		fields(number, false, "submitted_s maps reduces local_maps attempts"),
		fields(number, true, "started_s maps_done_s finished_s soft_deadline_s deadline_s task_time_s"),
		fields(truth, false, "admitted"))
)

type object = map[string]any

func read(file string) (object, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var o object
	if err := json.Unmarshal(data, &o); err != nil {
		return nil, fmt.Errorf("stdout should be one JSON object: %w", err)
	}
	return o, nil
}

func shape(file string, atLeastRuns, atLeastJobs int) error {
	o, err := read(file)
	if err != nil {
		return err
	}
	if o["schema"] != "slackline/report/v2" {
		return fmt.Errorf("schema is %v", o["schema"])
	}
	runs, _ := o["runs"].([]any)
	if len(runs) < atLeastRuns {
		return fmt.Errorf("%d runs, want at least %d", len(runs), atLeastRuns)
	}
	var errs []error
	for i, r := range runs {
		errs = append(errs, checkRun(fmt.Sprintf("runs[%d]", i), r, atLeastJobs))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	fmt.Printf("%d runs in the promised shape\n", len(runs))
	return nil
}

func checkRun(at string, v any, atLeastJobs int) error {
	run, ok := v.(object)
	if !ok {
		return fmt.Errorf("%s is no object", at)
	}
	errs := []error{checkFields(at, run, runFields)}
	summary, ok := run["summary"].(object)
	if !ok {
		return fmt.Errorf("%s.summary is no object", at)
	}
	errs = append(errs, checkFields(at+".summary", summary, summaryFields))
	jobs, _ := run["jobs"].([]any)
	if len(jobs) < atLeastJobs {
		errs = append(errs, fmt.Errorf("%s has %d jobs, want at least %d", at, len(jobs), atLeastJobs))
	}
	if summary["jobs"] != float64(len(jobs)) {
		errs = append(errs, fmt.Errorf("%s lists %d jobs; its summary says %v", at, len(jobs), summary["jobs"]))
	}
	deadlines, outcomes := 0, map[any]int{}
	for i, v := range jobs {
		at := fmt.Sprintf("%s.jobs[%d]", at, i)
		job, ok := v.(object)
		if !ok {
			errs = append(errs, fmt.Errorf("%s is no object", at))
			continue
		}
		errs = append(errs, checkFields(at, job, jobFields))
		outcomes[job["outcome"]]++
		if job["deadline_s"] != nil {
			deadlines++
		}
		if (job["outcome"] == "done") != (job["deadline_s"] == nil) {
			errs = append(errs, fmt.Errorf("%s: %v, with deadline_s %v", at, job["outcome"], job["deadline_s"]))
		}
	}
	// All jobs of these runs finish, and nobody promises anything.
	if n := outcomes["met"] + outcomes["late"] + outcomes["done"]; n != len(jobs) {
		errs = append(errs, fmt.Errorf("%s: of %d jobs %d are met, late or done: %v", at, len(jobs), n, outcomes))
	}
	for name, n := range map[string]int{"met": outcomes["met"], "late": outcomes["late"], "done": outcomes["done"], "in_time": outcomes["met"], "deadlines": deadlines} {
		if summary[name] != float64(n) {
			errs = append(errs, fmt.Errorf("%s: the jobs say %s %d, the summary %v", at, name, n, summary[name]))
		}
	}
	return errors.Join(errs...)
}

func checkFields(at string, o object, want []field) error {
	var errs []error
	for _, f := range want {
		v, ok := o[f.name]
		if !ok {
			errs = append(errs, fmt.Errorf("%s.%s is missing", at, f.name))
			continue
		}
		good := v == nil && f.null
		switch v.(type) {
		case float64:
			good = f.kind == number
		case string:
			good = f.kind == text
		case bool:
			good = f.kind == truth
		}
		if !good {
			errs = append(errs, fmt.Errorf("%s.%s is %v, want a %s", at, f.name, v, f.kind))
		}
	}
	return errors.Join(errs...)
}

// same compares two reports of one scenario; only the measured time may differ.
func same(file, other string) error {
	var both [2]object
	for i, f := range []string{file, other} {
		o, err := read(f)
		if err != nil {
			return err
		}
		runs, _ := o["runs"].([]any)
		for _, r := range runs {
			if run, ok := r.(object); ok {
				if summary, ok := run["summary"].(object); ok {
					delete(summary, "wall_s")
					delete(summary, "events_per_s")
				}
			}
		}
		both[i] = o
	}
	if !reflect.DeepEqual(both[0], both[1]) {
		return fmt.Errorf("%s and %s differ in more than the time they took", file, other)
	}
	fmt.Println("identical but for the time they took")
	return nil
}

// tamper copies a journal with one line in the middle spoilt, and prints the number of the first line that is wrong.
func tamper(how, file, to string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	n := len(lines) / 2
	switch how {
	case "altered":
		// A digit from within the line, so that it is most likely neither its number nor its checksum.
		for ; n < len(lines); n++ {
			if i := bytes.LastIndexAny(lines[n][:len(lines[n])*2/3], "0123456789"); i >= 0 {
				lines[n][i] = '0' + (lines[n][i]-'0'+1)%10
				break
			}
		}
		if n == len(lines) {
			return errors.New("no digit in the second half of the journal")
		}
	case "removed":
		if n+1 >= len(lines) {
			return errors.New("the journal is too short")
		}
		lines = slices.Delete(lines, n, n+1)
	default:
		return errors.New(usage)
	}
	fmt.Println(n + 1)
	return os.WriteFile(to, bytes.Join(lines, nil), 0o600)
}
