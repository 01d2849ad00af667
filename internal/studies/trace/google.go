package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// google reads the Google cluster traces of 2019 (version 3), collection_events and instance_events
// in one stream: JSON lines as BigQuery exports them, or CSV with a heading. A row with an
// instance_index is of an instance, any other of a collection. A collection of type job is a job,
// its instances are tasks, all in the stage map. Alloc sets are left out and counted. Used are
//
//	time                                         µs since the start of the trace; 0 is before, 2^63-1 behind its end
//	type                                         0 SUBMIT … 3 SCHEDULE 4 EVICT 5 FAIL 6 FINISH 7 KILL 8 LOST, by number or name
//	collection_id, collection_type               the id; 0 JOB or 1 ALLOC_SET, by number or name
//	instance_index                               which task
//	collection_logical_name, user, priority      the job: its class, user, priority
//	start_after_collection_ids                   jobs that had to finish before
//
// A task's time is that from its last SCHEDULE to the FINISH behind it, or to the event that ended
// it otherwise; it is unknown of one that ran on, or was still to run. A job that ended before
// anything of it was scheduled is left out and counted. Of a job that ran, tasks that ended without
// having been scheduled are not played. Jobs that failed, were killed, lost or evicted for good while they
// ran are played for as long as they did, and counted. Resources are shares of the largest machine and are not used.
//
// The rows of a collection must stand together, in order of time and its SUBMIT first, and
// collections in order of submission, so that no more than one job need be held. In BigQuery, over
// the union of both tables (with NULL for what one of them lacks):
//
//	SELECT *, MIN(time) OVER (PARTITION BY collection_id) AS begun FROM … ORDER BY begun, collection_id, time, instance_index, type
type google struct {
	lines
	order
	columns []func(field []byte) // of CSV, nil where one is not used; nil: JSON
	begun   bool
	row     googleRow

	held  bool   // the row is still to be taken
	id    string // of the collection
	job   *Job   // nil: it is passed over
	line  int64  // where it began
	last  int64  // time of the last row
	over  int64  // the event that ended it, -1 = none did
	ran   bool   // something of it was scheduled
	tasks map[int64]*googleTask
}

type googleTask struct {
	scheduled, ended int64
	over             bool // it ended, whether or not it had been scheduled
}

type googleRow struct {
	Time     scalar `json:"time"`
	Event    scalar `json:"type"`
	ID       scalar `json:"collection_id"`
	Kind     scalar `json:"collection_type"`
	Instance scalar `json:"instance_index"`
	Name     scalar `json:"collection_logical_name"`
	User     scalar `json:"user"`
	Priority scalar `json:"priority"`
	After    raw    `json:"start_after_collection_ids"`
}

func (googleRow) unread() []string {
	return []string{"alloc_collection_id", "alloc_instance_index", "machine_id", "missing_type", "scheduling_class", "resource_request", "constraint",
		"parent_collection_id", "max_per_machine", "max_per_switch", "vertical_scaling", "scheduler", "collection_name", "begun"}
}

// The types of events that are used.
const (
	googleSubmit   = 0
	googleSchedule = 3
	googleEvict    = 4
	googleFail     = 5
	googleFinish   = 6
	googleLost     = 8
)

var googleTypes = []string{"SUBMIT", "QUEUE", "ENABLE", "SCHEDULE", "EVICT", "FAIL", "FINISH", "KILL", "LOST", "UPDATE_PENDING", "UPDATE_RUNNING"}
var googleKinds = []string{"JOB", "ALLOC_SET"}

func openGoogle(in io.Reader, o Options) form {
	g := &google{lines: newLines(in, o)}
	g.keys = farKeys
	return g
}

// Next returns the job whose rows end next.
func (g *google) Next() (*Job, error) { return g.nextJob(g.step) }

// step takes a row, or ends the job before it; then the row is held until the next step.
func (g *google) step() (*Job, error) {
	if !g.held {
		line, err := g.next()
		if errors.Is(err, io.EOF) && g.job != nil {
			return g.end()
		}
		if err != nil {
			return nil, err
		}
		if line = trim(line); len(line) == 0 {
			return nil, nil
		}
		if err := g.read(line); err != nil {
			return nil, err
		}
		if g.row.ID.is == 0 {
			return nil, nil // the heading
		}
	}
	g.held = false
	switch id := string(g.row.ID.text); {
	case id != g.id && g.job != nil:
		g.held = true
		return g.end()
	case id != g.id:
		g.id = id
		return nil, orNil(g.begin())
	case g.job != nil:
		return nil, orNil(g.add())
	}
	return nil, nil // more of a collection that is passed over
}

// orNil makes an error of an *Error, nil of nil.
func orNil(err *Error) error {
	if err == nil {
		return nil
	}
	return err
}

// read reads a row, or the heading of CSV.
func (g *google) read(line []byte) error {
	g.row = googleRow{}
	first := !g.begun
	g.begun = true
	if first && line[0] != '{' {
		return orNil(g.heading(line))
	}
	var err *Error
	if g.columns != nil {
		err = g.csv(line)
	} else {
		err = g.decode(line, &g.row)
	}
	if err == nil {
		g.name("collection_id", g.row.ID.text)
		err = g.wrong()
	}
	return orNil(err)
}

func (g *google) heading(line []byte) *Error {
	g.columns = []func([]byte){}
	var names []string
	for column := range strings.SplitSeq(string(line), ",") {
		name := strings.Trim(strings.TrimSpace(column), `"`)
		if bad := g.key(name, keysOf(reflect.TypeFor[googleRow]())); bad != nil {
			bad.fatal = true
			return bad
		}
		names = append(names, name)
		g.columns = append(g.columns, g.column(name))
	}
	for _, need := range []string{"time", "type", "collection_id", "instance_index"} {
		if !slices.Contains(names, need) {
			return g.lost("the heading has no column %s; export the tables with their headings, or as JSON", need)
		}
	}
	return nil
}

// column sets the field of the row with a name; nil if that is not used.
func (g *google) column(name string) func(field []byte) {
	row := reflect.ValueOf(&g.row).Elem()
	for i := range row.NumField() {
		if row.Type().Field(i).Tag.Get("json") != name {
			continue
		}
		switch to := row.Field(i).Addr().Interface().(type) {
		case *scalar:
			return func(field []byte) { *to = scalar{field, 's'} }
		case *raw:
			return func(field []byte) { *to = field }
		}
	}
	return nil
}

// csv reads a row by the heading.
func (g *google) csv(line []byte) *Error {
	fields := csvFields(line)
	if len(fields) != len(g.columns) {
		return g.errorf("", "it has %d fields, the heading has %d", len(fields), len(g.columns))
	}
	for i, field := range fields {
		if len(field) > 0 && g.columns[i] != nil {
			g.columns[i](field)
		}
	}
	if after := g.row.After; len(after) > 0 && !json.Valid(after) {
		return g.errorf("start_after_collection_ids", "%s is not a list", quoted(after))
	}
	return nil
}

// csvFields are the fields of a line of CSV.
func csvFields(line []byte) (fields [][]byte) {
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

// begin begins a job with the row, or passes over a collection that is none.
func (g *google) begin() *Error {
	kind := g.oneOf("collection_type", g.row.Kind, googleKinds)
	if err := g.wrong(); err != nil {
		return err
	}
	if kind == 1 {
		g.kept.leaveOut(notAJob, "", g.errorf("collection_type", "collection %s is an alloc set", quoted(g.row.ID.text)))
		return nil
	}
	event, at := g.event()
	if event != googleSubmit || g.row.Instance.there() {
		g.failf("collection_id", "the rows of collection %s do not begin with its SUBMIT; order them by begin of collection, collection and time",
			quoted(g.row.ID.text))
	}
	j := &Job{ID: "c" + g.id, Input: Unknown, Shuffle: Unknown, Output: Unknown, Submit: units.Time(at * int64(units.Microsecond)),
		User: g.text("user", g.row.User), Class: g.text("collection_logical_name", g.row.Name),
		Priority: int(g.atMost("priority", g.row.Priority, 1_000_000))}
	for _, id := range g.names("start_after_collection_ids", g.row.After, 1000) {
		j.After = append(j.After, "c"+id)
	}
	if err := g.wrong(); err != nil {
		return err
	}
	g.job, g.tasks, g.last, g.line = j, map[int64]*googleTask{}, at, g.at
	g.over, g.ran = -1, false
	return nil
}

// event reads the type of the row and its time in µs.
func (g *google) event() (event, at int64) {
	event = g.oneOf("type", g.row.Event, googleTypes)
	if !g.row.Event.there() || !g.row.Time.there() {
		g.failf("", "it has no type or no time")
	}
	at = g.number("time", g.row.Time, 0)
	if at > 1e15 && at != math.MaxInt64 {
		g.failf("time", "%d µs are more than 30 years", at)
	}
	return event, at
}

// oneOf reads a number that has a name, or the name.
func (g *google) oneOf(field string, s scalar, names []string) int64 {
	if i := slices.Index(names, string(s.text)); i >= 0 {
		return int64(i)
	}
	n := g.number(field, s, 0)
	if n >= int64(len(names)) {
		g.failf(field, "%s is not from 0 to %d", quoted(s.text), len(names)-1)
	}
	return n
}

// add takes a further row of the job.
func (g *google) add() *Error {
	event, at := g.event()
	if at < g.last {
		g.failf("time", "%d is before the %d of the row before; order the rows of a collection by time", at, g.last)
	}
	i := g.number("instance_index", g.row.Instance, 0)
	var t *googleTask // nil: the row is of the collection
	if g.row.Instance.there() {
		t = g.tasks[i]
	}
	if t == nil && len(g.tasks) == MaxRuns {
		g.failf("instance_index", "there are more than %d, which no job has", MaxRuns)
	}
	if err := g.wrong(); err != nil {
		return err
	}
	g.last = at
	if t == nil && g.row.Instance.there() {
		t = &googleTask{scheduled: -1, ended: -1}
		g.tasks[i] = t
	}
	ends := event >= googleFail && event <= googleLost
	switch {
	case at == math.MaxInt64:
	case event == googleSchedule:
		g.ran = true
		if t == nil {
			g.over = -1 // it was evicted, and runs again
		} else {
			t.scheduled, t.ended, t.over = at, -1, false
		}
	case t == nil && (ends || event == googleEvict):
		g.over = event
	case t != nil && (ends || event == googleEvict):
		if t.scheduled >= 0 && t.ended < 0 {
			t.ended = at
		}
		t.over = ends
	}
	return nil
}

// end makes the job of the rows that are over, none if it never ran.
func (g *google) end() (*Job, error) {
	j, at := g.job, g.at
	g.job, g.at = nil, g.line
	defer func() { g.at = at }()
	s, idle := Stage{Kind: workload.Map}, 0
	for _, i := range slices.Sorted(maps.Keys(g.tasks)) {
		t := g.tasks[i]
		u := Task{Count: 1, Input: Unknown, Time: UnknownTime}
		switch {
		case t.scheduled >= 0 && t.ended >= 0:
			u.Time = units.Duration(t.ended-t.scheduled) * units.Microsecond
		case t.over:
			idle++
			continue
		}
		s.Add(u)
	}
	badly := g.over >= 0 && g.over != googleFinish
	if badly && !g.ran || idle > 0 && len(s.Tasks) == 0 {
		g.kept.leaveOut(neverRan, j.ID, g.errorf("type", "job %q ended before anything of it was scheduled", j.ID))
		return nil, nil
	}
	if len(s.Tasks) > 0 {
		j.Stages = []Stage{s}
	}
	if err := g.admit(&g.order, j, "time"); err != nil {
		return nil, err
	}
	g.kept.fillIn(idleTask, idle, g.errorf("type", "job %q has some", j.ID))
	if badly {
		g.kept.fillIn(endedBadly, 1, g.errorf("type", "job %q ended with %s", j.ID, googleTypes[g.over]))
	}
	return j, nil
}
