// Package report turns what the loop shows its sinks into results: the JSON report, tables and a
// timeline for people, and what the run teaches about its classes of jobs.
//
//	report.go    the JSON report and what its fields mean
//	builder.go   the sink that makes a run of it, in one pass; usage.go integrates slots, vcores and memory for it, exactly (area.go),
//	             package energy power
//	timeline.go  the sink behind the drawing of who ran when
//	learner.go   the sink that fills profiles
//	real.go      what a run on this machine took besides, and what was expected of it; realtable.go as a table
//	table.go     tables: the jobs of a run, and what belongs to it
//	summary.go   policies side by side: what came of the jobs, and how the cluster was used
//	outcome.go   the one outcome of each job, and the counts that follow from it
//	read.go      runs that were kept as JSON
//	classes.go   deadlines by their class
//	aggregate.go jobs by class and by hour, where no row is kept for each
//	workflows.go what became of workflows
//	promises.go  which promised deadlines were kept, and what admission expected, beside what came
//	metric.go    the figures by which policies are compared
//	verdict.go   which policy is better, by paired tests
//	versus.go    that in words, and what so many seeds cannot tell, before they run
//	stuck.go     runs that did not come to their end
//	csv.go       a line for each run, for other programs
//
// Sinks keep a page for each job, attempt and node that is there at the moment, and one number for
// each job that is gone, so that millions of tasks do not add up.
package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"slices"

	"github.com/slackline/slackline/internal/studies/account"
	"github.com/slackline/slackline/internal/studies/trace"
)

// Schema names the form of the report. Fields may be added to it, never renamed.
const Schema = "slackline/report/v2"

// Report is the result of one or more runs, in the order of the grid.
type Report struct {
	Schema string `json:"schema"`
	Runs   []*Run `json:"runs"`
	// Comparisons say which policy is better on what; there are some after Compare.
	Comparisons []Comparison `json:"comparisons,omitempty"`
}

// New returns a report of these runs.
func New(runs ...*Run) *Report { return &Report{Schema: Schema, Runs: runs} }

// WriteJSON writes a result for other programs, as all commands do. The jobs of a report, which may be many, are
// put into words one by one.
func WriteJSON(w io.Writer, result any) error {
	var text bytes.Buffer
	report, is := result.(*Report)
	if is {
		brief := *report
		brief.Runs = slices.Clone(report.Runs)
		for i, run := range brief.Runs {
			r := *run
			r.Jobs, brief.Runs[i] = nil, &r
		}
		result = &brief
	}
	if err := encode(&text, "", result); err != nil {
		return err
	}
	const place = "\n      \"jobs\": "
	to, rest := bufio.NewWriter(w), text.Bytes()
	for i := 0; is && i < len(report.Runs); i++ {
		jobs, before := report.Runs[i].Jobs, []byte(nil)
		if before, rest, _ = bytes.Cut(rest, []byte(place+"null")); jobs == nil {
			to.Write(before)
			to.WriteString(place + "null")
			continue
		}
		to.Write(before)
		to.WriteString(place + "[")
		between, end := "\n        ", "]"
		for n := range jobs {
			var job bytes.Buffer
			if err := encode(&job, "        ", &jobs[n]); err != nil {
				return err
			}
			to.WriteString(between)
			to.Write(bytes.TrimSuffix(job.Bytes(), []byte("\n")))
			between, end = ",\n        ", "\n      ]"
		}
		to.WriteString(end)
	}
	to.Write(rest)
	return to.Flush()
}

func encode(w io.Writer, prefix string, result any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent(prefix, "  ")
	return e.Encode(result)
}

// Run is one scenario under one policy with one seed.
type Run struct {
	World    string            `json:"world"` // "sim" or "engine"
	Scenario string            `json:"scenario"`
	Policy   string            `json:"policy"`
	Seed     uint64            `json:"seed"`
	Params   map[string]string `json:"params,omitempty"` // values of a sweep, by key of the scenario
	Summary  Summary           `json:"summary"`
	Jobs     []Job             `json:"jobs"` // in order of arrival
	// Aggregate has them by class and by hour; null: there is a row for each.
	Aggregate *Aggregate `json:"aggregate,omitempty"`
	// Classes count deadlines by their class, where jobs have one.
	Classes []DeadlineClass `json:"deadline_classes,omitempty"`
	// Workflows are what became of those that the jobs are parts of, in order of arrival.
	Workflows []Workflow     `json:"workflows,omitempty"`
	Named     map[string]int `json:"-"` // how many of them came by name
	// Bill has the nodes that were rented, class by class, where a cloud offers some.
	Bill []Rent `json:"bill,omitempty"`
	// Nodes have what attempts drew on each, as far as anybody knows, in the order of handles.
	Nodes []NodeUse `json:"nodes,omitempty"`
	// Requests are what was asked of clouds and why, in the order of time.
	Requests []Request `json:"requests,omitempty"`
	Trace    *Trace    `json:"trace,omitempty"` // null: the jobs come from no trace
	// Notes are what was filled in, moved or left out of weather, and what is odd about the times of the scenario.
	Notes []string `json:"notes,omitempty"`
	// Without is what parts of the policy would do and the world cannot.
	Without []string `json:"without,omitempty"`
	Real    *Real    `json:"real,omitempty"`
	Door    *Door    `json:"door,omitempty"` // null: nobody was asked whether jobs would be in time
	// Stuck is why the run could not continue, "" if it came to its end. The summary and the jobs are
	// then what came until that time, and count neither in means nor in comparisons.
	Stuck string `json:"stuck,omitempty"`
}

// Trace says how the jobs of a run were made of a trace.
type Trace struct {
	// version of the rule by which follows what the trace does not say; 0 = only arrivals come from
	// it
	Rule int `json:"rule,omitempty"`
	trace.Account
}

// Summary sums up a run. All times are in seconds from its start.
//
// Deadlines are counted over all jobs that were submitted, so that a policy gains nothing by
// refusing. Response times are those of the jobs that finished, which may be others under another
// policy.
//
// Penalty is eq. 1 of paper 000 over the admitted jobs that finished: the sum of weight × max(0, (y
// - d)/d), where y is the time from arrival to finish and d that from arrival to deadline.
//
// Utilisation is the slot time that attempts held, whatever came of them, over the slot time that
// was there until the makespan: capacity is integrated over time as nodes come and go. A node that
// drains counts with what it still runs. The same holds of vcores and memory, which are null where
// no node has any. How much there was tells whether a utilisation of 0 means idle or absent: map
// slots are 0 where tasks take vcores only.
//
// An event is an arrival, a heartbeat that the policy answers, an attempt's start or end, or a
// change of a node.
type Summary struct {
	Jobs     int `json:"jobs"` // that were submitted
	Admitted int `json:"admitted"`

	Refused     int `json:"refused"` // this and the nine below: jobs by outcome
	Kept        int `json:"kept"`
	Broken      int `json:"broken"`
	Met         int `json:"met"`
	Late        int `json:"late"`
	Done        int `json:"done"`
	Failed      int `json:"failed"`
	Killed      int `json:"killed"`
	Interrupted int `json:"interrupted"`
	Unfinished  int `json:"unfinished"`

	Promised      int      `json:"promised"`        // jobs whose deadline was promised, whatever became of them
	Deadlines     int      `json:"deadlines"`       // submitted jobs with a hard one
	InTime        int      `json:"in_time"`         // that finished by it: kept and met
	DeadlineWork  *float64 `json:"deadline_work_s"` // task time of the jobs with a deadline; null: not known of all
	WorkInTime    *float64 `json:"work_in_time_s"`  // of those in time
	SoftDeadlines int      `json:"soft_deadlines"`  // submitted jobs with a soft one
	SoftInTime    int      `json:"soft_in_time"`    // that finished by it
	Flows

	Penalty      float64  `json:"penalty"`
	Makespan     float64  `json:"makespan_s"`      // when the last job ended
	MeanResponse *float64 `json:"mean_response_s"` // null: no job finished
	// FreeResponse is that of the jobs without a deadline, where there are jobs with one as well; else null.
	FreeResponse *float64 `json:"mean_response_no_deadline_s"`
	P95Response  *float64 `json:"p95_response_s"`

	// part of the committed maps that were granted on a node with their input; null: there are none
	MapLocality *float64 `json:"map_locality"`
	// part of them that were granted in the rack of their input, on another node
	RackLocality      *float64 `json:"rack_locality"`
	MapUtilization    float64  `json:"map_utilization"`
	ReduceUtilization float64  `json:"reduce_utilization"`
	// slots, or containers, times the time for which reduces held them while maps of their job were to end
	ReduceIdle        float64  `json:"reduce_idle_s"`
	CoreUtilization   *float64 `json:"vcore_utilization"`  // null: no node has vcores
	MemoryUtilization *float64 `json:"memory_utilization"` // null: no node has memory for tasks
	MapSlots          float64  `json:"map_slots"`          // that were there, as a mean until the makespan
	ReduceSlots       float64  `json:"reduce_slots"`
	Cores             float64  `json:"vcores"`
	Memory            float64  `json:"memory_bytes"`
	Energy            *float64 `json:"energy_kwh"` // until the makespan; null: there is no model of power
	// part of it that the supply of green power covered; null: there is no supply
	Green *float64 `json:"green_kwh"`
	Brown *float64 `json:"brown_kwh"` // the rest
	// what that costs and emits by the hour, until the makespan; null: nobody says
	EnergyCost *float64 `json:"energy_cost"`
	Carbon     *float64 `json:"carbon_kg"`
	// hours of nodes that were rented, and what they cost, until the makespan; null: no cloud offers any
	Rented *float64 `json:"rented_node_hours"`
	Rent   *float64 `json:"rent"`
	// what attempts have drawn above what nodes draw idle; what nodes in service draw besides; what those draw that
	// wake; and those that sleep: together energy_kwh
	TaskEnergy  *float64 `json:"task_energy_kwh"`
	IdleEnergy  *float64 `json:"idle_energy_kwh"`
	WakeEnergy  *float64 `json:"wake_energy_kwh"`
	SleepEnergy *float64 `json:"sleep_energy_kwh"`
	Wakes       int      `json:"wakes"` // how often nodes were woken or rented

	Tasks        int64   `json:"tasks"`    // of the jobs that arrived
	Attempts     int64   `json:"attempts"` // started
	Events       int64   `json:"events"`
	Wall         float64 `json:"wall_s"` // measured, so it differs from run to run
	EventsPerSec float64 `json:"events_per_s"`
}

// Job is what became of a job. Times are in seconds from the start of the run, null where the job
// never got there.
//
// Where a run continues an interrupted one, deadlines that count from the submission count from
// the first one: they may be negative.
//
// Where promised_s stands the policy has promised the deadline, and the outcome says whether it
// kept that. The number itself is promised by nobody: it is when the job would end as things stood
// when it was admitted. One that comes later with an earlier deadline may go before it.
//
// The work of a job in a simulation is the time of its tasks on nodes of speed 1 as the scenario
// has them, before anything is drawn: the same under each policy, also where the job is refused. On
// this machine it is the time of the attempts that were committed, and not known of jobs that did
// not finish, or of which an earlier run did a part.
type Job struct {
	ID        string  `json:"id"`
	Class     string  `json:"class"`
	Queue     string  `json:"queue"`
	Submitted float64 `json:"submitted_s"`
	// of a job that comes after others, when these were done; null: not yet, or it comes after none
	Ready    *float64 `json:"ready_s"`
	Admitted bool     `json:"admitted"`
	Reason   string   `json:"reason"` // why it was refused, failed or killed
	// while the policy only watched: what it would have done with the job, and why
	Advice       string   `json:"advice,omitempty"`
	Started      *float64 `json:"started_s"`
	MapsDone     *float64 `json:"maps_done_s"` // the last map committed
	Finished     *float64 `json:"finished_s"`
	SoftDeadline *float64 `json:"soft_deadline_s"`
	Deadline     *float64 `json:"deadline_s"`
	Promise      string   `json:"deadline_class,omitempty"` // where there are several kinds of deadlines
	// that it is a part of, for which of its jobs it waits, and by when the policy planned it to be done, and why, and
	// why it had it cut, as of its start
	Workflow   string   `json:"workflow,omitempty"`
	After      []string `json:"after,omitempty"`
	Planned    *float64 `json:"planned_s,omitempty"`
	PlannedFor string   `json:"planned_for,omitempty"`
	Cut        string   `json:"cut,omitempty"`
	// its deadline was over when the run began
	Overdue bool `json:"overdue,omitempty"`
	// an earlier run that was interrupted had done all its tasks; Finished is not told
	Before bool `json:"finished_before,omitempty"`
	// submitted before an interruption: its times hold the time in which nobody ran
	Resumed bool `json:"resumed,omitempty"`
	// by when it was expected to finish, see below; null: no promise
	Promised *float64 `json:"promised_s,omitempty"`
	// that, or a refusal, rests on a sample and is no worst case
	Estimated bool `json:"promise_estimated,omitempty"`
	// how likely the promise was to be kept, as it was stated; null: it was for the worst case
	Confidence *float64 `json:"confidence,omitempty"`
	// when it was expected to be done, as that was told when it was promised, and each time that it
	// moved by more than a tenth of what was left; of many the first and the last
	Outlooks  []Outlook `json:"outlooks,omitempty"`
	Admission string    `json:"admission,omitempty"` // why it runs without a promise, where others get one
	// the kind of reason for which it was refused, see sched.Code
	Refusal string `json:"refusal,omitempty"`
	// of a refused job: the earliest deadline that would have been accepted
	Offer     *float64 `json:"offer_s,omitempty"`
	Maps      int      `json:"maps"`
	Reduces   int      `json:"reduces"`
	LocalMaps int      `json:"local_maps"`
	Attempts  int      `json:"attempts"`
	// its part of what rented nodes cost, by how long its attempts took there; null: none ran there
	Rent *float64 `json:"rent,omitempty"`
	// what its attempts drew above idle, their part of the summary's task energy, at what all that nodes used cost and
	// emitted while the job ran
	Uses
	// what it would have used at least with twice the time until its deadline, an estimate
	Patient  *Uses    `json:"with_twice_the_time,omitempty"`
	TaskTime *float64 `json:"task_time_s"` // its work, see below; null: not known
	Penalty  *float64 `json:"penalty"`     // its part of the summary's; null: it did not finish, or has no deadline
	Outcome  Outcome  `json:"outcome"`

	// where its time went, by cause, which sums to the time from its arrival to its end, and that in
	// a sentence; none where nobody kept accounts
	Causes []account.Total `json:"time_by_cause,omitempty"`
	Why    string          `json:"why,omitempty"`

	// Of jobs that ran on this machine.
	Account  *account.Account `json:"account,omitempty"` // its time, one after another
	Work     *Work            `json:"work,omitempty"`
	Failures []Failure        `json:"failures,omitempty"`
	Expected *Expectation     `json:"expected,omitempty"` // null: nothing was known of such jobs
	// the run was cold for its class: what it taught is told only until there is a warm one
	Cold bool `json:"cold,omitempty"`
}

// Time sets what was measured of a run.
func (s *Summary) Time(wall float64) {
	s.Wall = wall
	if wall > 0 {
		s.EventsPerSec = float64(s.Events) / wall
	}
}
