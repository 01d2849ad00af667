package trace

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/slackline/slackline/internal/maths/spelling"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// alibaba reads batch_task.csv of Alibaba's cluster trace of 2018 (cluster-trace-v2018), which has
// no heading. A row is what Alibaba calls a task; its instances are tasks here. Columns:
//
//	task_name, instance_num, job_name, task_type, status, start_time, end_time, plan_cpu, plan_mem
//
// A name such as R3_1_2 is that of task 3, which waits for 1 and 2; one without numbers waits for
// nothing. Tasks that wait for nothing are maps, those behind them reduces, then come other0,
// other1 and other2, each stage behind all of the one before, and other2 takes all that is deeper.
// Instances take the time from start_time to end_time of their task, in s; it is unknown of a task
// that is not Terminated, or lacks one of them, or ends before it starts. A job arrives with the
// first start_time that it has. One of which a task is Failed, Cancelled or Interrupted is left out
// and counted, and so is one of which none has started, or one is still Ready or Waiting.
// A task without a number of instances is one, a task that is not there is not waited for; both are counted.
// plan_cpu is in percent of a core, rounded up to whole ones, the most of a stage; plan_mem
// is a share of a machine that is not told, and is not used.
//
// The rows of a job must stand together, and jobs in order of arrival. The published file has the
// one, not the other: import it with --sort.
type alibaba struct {
	lines
	order
	held bool // the row is still to be taken
	row  alibabaTask
	job  *Job
	line int64 // where it began
	rows []alibabaTask
	by   map[int]int          // the place of each by its number
	cut  [][]byte             // the fields of the line
	each func(g *Graph) error // is told of jobs as they stand there; may be nil
}

type alibabaTask struct {
	job    string
	name   string
	number int   // -1 = it has none
	after  []int // numbers
	tasks  Task
	start  int64 // s; 0 = unknown
	cores  int64
	status string
	back   bool // it ends before it starts
	// How many instances it had is not told.
	uncounted bool
	depth     int // behind so many others; -1 = not known yet, -2 = it is being found out
}

// maxRows is the most rows of a job. The largest known has some hundred.
const maxRows = 1 << 16

var alibabaColumns = [9]string{"task_name", "instance_num", "job_name", "task_type", "status", "start_time", "end_time", "plan_cpu", "plan_mem"}

var alibabaStatuses = []string{"Ready", "Waiting", "Running", "Terminated", "Failed", "Cancelled", "Interrupted"}

func openAlibaba(in io.Reader, o Options) form { return &alibaba{lines: newLines(in, o)} }

// Next returns the job whose rows end next.
func (a *alibaba) Next() (*Job, error) { return a.nextJob(a.step) }

// step takes a row, or ends the job before it; then the row is held until the next step.
func (a *alibaba) step() (*Job, error) {
	if !a.held {
		line, err := a.next()
		if errors.Is(err, io.EOF) && a.job != nil {
			return a.end()
		}
		if err != nil {
			return nil, err
		}
		// Copies of the trace may have a heading.
		if line = trim(line); len(line) == 0 || a.at == 1 && string(line) == strings.Join(alibabaColumns[:], ",") {
			return nil, nil
		}
		if err := a.read(line); err != nil {
			return nil, err
		}
	}
	a.held = a.job != nil && a.job.ID != a.row.job
	if a.held {
		return a.end()
	}
	if a.job == nil {
		a.job, a.line = &Job{ID: a.row.job, Input: Unknown, Shuffle: Unknown, Output: Unknown}, a.at
	}
	if len(a.rows) == maxRows {
		return nil, a.errorf("job_name", "job %q has more than %d rows", a.row.job, maxRows)
	}
	a.rows = append(a.rows, a.row)
	return nil, nil
}

func (a *alibaba) read(line []byte) error {
	f := csvFields(a.cut[:0], line)
	a.cut = f
	if len(f) == 8 && isNumber(f[0]) && isNumber(f[1]) {
		return a.errorf("", "it looks like a task of Alibaba's trace of 2017, whose rows begin with two times; that of 2018 can be read")
	}
	if len(f) == 14 || len(f) == 12 {
		return a.errorf("", "it looks like a row of Alibaba's batch_instance, of %d fields; read batch_task, which lists the tasks", len(f))
	}
	if len(f) != len(alibabaColumns) {
		return a.errorf("", "it has %d fields separated by commas, a task has %d", len(f), len(alibabaColumns))
	}
	row := alibabaTask{depth: -1, tasks: Task{Count: 1, Input: Unknown, Time: UnknownTime}}
	if a.job != nil && string(f[2]) == a.job.ID {
		row.job = a.job.ID
	} else {
		row.job = a.name(alibabaColumns[2], f[2])
	}
	row.name = a.name(alibabaColumns[0], f[0])
	row.number, row.after = a.graph(row.name)
	var x [9]int64
	for _, i := range []int{1, 5, 6, 7} {
		if len(f[i]) > 0 {
			x[i] = a.count(alibabaColumns[i], f[i])
		}
		if x[i] > 1e9 {
			a.failf(alibabaColumns[i], "%d is more than 1000000000", x[i])
		}
	}
	if x[1] > MaxTasks {
		a.failf(alibabaColumns[1], "%d are more than %d", x[1], MaxTasks)
	}
	row.tasks.Count, row.uncounted = max(1, int(x[1])), x[1] == 0
	row.start, row.cores = x[5], (x[7]+99)/100
	if i := slices.IndexFunc(alibabaStatuses, func(s string) bool { return s == string(f[4]) }); i >= 0 {
		row.status = alibabaStatuses[i]
	} else {
		a.failf(alibabaColumns[4], "%s is not %s%s", quoted(f[4]), strings.Join(alibabaStatuses, ", "), spelling.Meant(string(f[4]), alibabaStatuses))
	}
	if x[5] > 0 && x[6] > 0 && row.status == "Terminated" {
		if row.back = x[6] < x[5]; !row.back {
			row.tasks.Time = units.Duration(x[6]-x[5]) * units.Second
		}
	}
	a.row = row
	return orNil(a.wrong())
}

func isNumber(text []byte) bool {
	_, err := strconv.ParseInt(string(text), 10, 64)
	return err == nil
}

// graph reads the numbers in the name of a task: M1, R3_1_2, R3_1_2_Stg1. Other names have none.
func (a *alibaba) graph(task string) (number int, after []int) {
	text := task
	for text != "" && (text[0]|0x20 >= 'a' && text[0]|0x20 <= 'z') {
		text = text[1:]
	}
	if text == "" || len(text) == len(task) || text[0] < '0' || text[0] > '9' {
		return -1, nil
	}
	more := true
	for i := 0; more; i++ {
		var part string
		part, text, more = strings.Cut(text, "_")
		n, bad := strconv.Atoi(part)
		switch {
		case bad != nil && i == 0:
			return -1, nil
		case bad != nil: // Stg1 and the like
		case n < 0:
			a.failf("task_name", "%s waits for a task %d", quoted([]byte(task)), n)
		case i == 0:
			number = n
		case len(after) == 1000:
			a.failf("task_name", "%s waits for more than 1000 others", quoted([]byte(task)))
			return number, after
		default:
			after = append(after, n)
		}
	}
	return number, after
}

// end makes the job of the rows that are over.
func (a *alibaba) end() (*Job, error) {
	j, rows := a.job, a.rows
	a.job, a.rows = nil, rows[:0]
	at := a.at
	a.at = a.line
	defer func() { a.at = at }()
	if a.is(j, rows, hasFailed, "Failed") || a.is(j, rows, wasKilled, "Cancelled", "Interrupted") {
		return nil, nil
	}
	if !slices.ContainsFunc(rows, func(t alibabaTask) bool { return t.start > 0 }) {
		a.kept.leaveOut(neverRan, j.ID, a.errorf(alibabaColumns[5], "none of the tasks of job %q has one", j.ID))
		return nil, nil
	}
	if a.is(j, rows, notEnded, "Ready", "Waiting") {
		return nil, nil
	}
	if err := a.number(j, rows); err != nil {
		return nil, err
	}
	if a.each != nil {
		if err := a.each(graphOf(j, rows, a.by)); err != nil {
			return nil, a.errorf("", "%v", err)
		}
	}
	if err := a.build(j, rows); err != nil {
		return nil, err
	}
	for i := range rows {
		if rows[i].uncounted {
			a.kept.fillIn(instancesUnknown, 1, a.errorf(alibabaColumns[1], "a task of job %q has none", j.ID))
		}
		if rows[i].back {
			a.kept.fillIn(clockBackUntimed, rows[i].tasks.Count, a.errorf(alibabaColumns[6], "that of a task of job %q is before its start", j.ID))
		}
	}
	return j, nil
}

// is tells whether a task of the job has one of these statuses, and leaves the job out if so.
func (a *alibaba) is(j *Job, rows []alibabaTask, why Reason, statuses ...string) bool {
	i := slices.IndexFunc(rows, func(t alibabaTask) bool { return slices.Contains(statuses, t.status) })
	if i >= 0 {
		a.kept.leaveOut(why, j.ID, a.errorf(alibabaColumns[4], "a task of job %q is %s", j.ID, rows[i].status))
	}
	return i >= 0
}

// number finds the tasks by their numbers, and when the first of them started.
func (a *alibaba) number(j *Job, rows []alibabaTask) *Error {
	if a.by == nil {
		a.by = make(map[int]int)
	}
	clear(a.by)
	first := int64(0)
	for i := range rows {
		if s := rows[i].start; s > 0 && (first == 0 || s < first) {
			first = s
		}
		if n := rows[i].number; n >= 0 {
			if _, twice := a.by[n]; twice {
				return a.errorf("task_name", "job %q has two tasks of number %d", j.ID, n)
			}
			a.by[n] = i
		}
	}
	j.Submit = units.Time(first * int64(units.Second))
	return nil
}

func (a *alibaba) build(j *Job, rows []alibabaTask) *Error {
	stages := [5]Stage{}
	for i := range rows {
		if err := a.depth(j, rows, i); err != nil {
			return err
		}
		s := &stages[min(rows[i].depth, len(stages)-1)]
		s.Needs[units.VCores] = max(s.Needs[units.VCores], rows[i].cores)
		s.Add(rows[i].tasks)
	}
	for i, s := range stages {
		if len(s.Tasks) > 0 {
			s.Kind = workload.Map + workload.Stage(i)
			j.Stages = append(j.Stages, s)
		}
	}
	return a.admit(&a.order, j, "start_time")
}

// depth finds how many tasks stand before one, along the longest way.
func (a *alibaba) depth(j *Job, rows []alibabaTask, i int) *Error {
	row := &rows[i]
	if row.depth >= 0 {
		return nil
	}
	if row.depth == -2 {
		return a.errorf("task_name", "task %d of job %q waits for itself", row.number, j.ID)
	}
	row.depth = -2
	deep := 0
	for _, n := range slices.Compact(row.after) {
		p, there := a.by[n]
		if !there {
			a.kept.fillIn(afterTask, 1, a.errorf("task_name", "task %d of job %q waits for task %d", row.number, j.ID, n))
			continue
		}
		if err := a.depth(j, rows, p); err != nil {
			return err
		}
		deep = max(deep, rows[p].depth+1)
	}
	row.depth = deep
	return nil
}

// csvFields adds the fields of a line of CSV to others.
func csvFields(fields [][]byte, line []byte) [][]byte {
	for more := true; more; {
		var field []byte
		field, line, more = cutCSV(line)
		fields = append(fields, field)
	}
	return fields
}

// cutCSV cuts the first field off a line of CSV. Within quotes, two of them stand for one.
func cutCSV(line []byte) (field, rest []byte, more bool) {
	if len(line) == 0 || line[0] != '"' {
		return bytes.Cut(line, []byte{','})
	}
	for i := 1; i < len(line); i++ {
		if line[i] != '"' {
			field = append(field, line[i])
			continue
		}
		if i++; i < len(line) && line[i] == '"' {
			field = append(field, '"')
			continue
		}
		_, rest, more = bytes.Cut(line[min(i, len(line)):], []byte{','})
		return field, rest, more
	}
	return field, nil, false
}

// Graph is a job of the trace with what it calls tasks, each of which is a job by itself elsewhere.
type Graph struct {
	Job      string
	Start    units.Duration // of the first of them
	Vertices []Vertex
}

// Vertex is such a task, with those that it waits for and are there.
type Vertex struct {
	Name  string
	After []string
	Tasks Task
}

// Graphs tells of the jobs of Alibaba's batch_task.csv as they stand there, not folded into stages. An error of
// each ends the reading, and gets the place of the job.
func Graphs(in io.Reader, o Options, each func(g *Graph) error) error {
	a := &alibaba{lines: newLines(in, o), each: each}
	for {
		if _, err := a.Next(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func graphOf(j *Job, rows []alibabaTask, by map[int]int) *Graph {
	g := &Graph{Job: j.ID, Start: units.Duration(j.Submit)}
	for i := range rows {
		p := Vertex{Name: rows[i].name, Tasks: rows[i].tasks}
		for _, n := range rows[i].after {
			if k, there := by[n]; there && !slices.Contains(p.After, rows[k].name) {
				p.After = append(p.After, rows[k].name)
			}
		}
		g.Vertices = append(g.Vertices, p)
	}
	return g
}
