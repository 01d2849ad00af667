package report

import (
	"strings"

	"github.com/slackline/slackline/units"
)

// Real is what a run on this machine took besides slots. A simulation has none.
type Real struct {
	CPU float64 `json:"cpu_s"` // processor time of this process and of those it started
	// most engine memory that is no file, without commands and programs, seen every few
	// milliseconds; null: the system does not tell
	Memory  *int64 `json:"peak_memory_bytes"`
	Started int    `json:"started"` // commands and programs of attempts
	Cgroups int    `json:"cgroups"` // those of them that had a cgroup of their own
	// most memory that one of them had at a time, with all that it started; null: there was none,
	// or it is not known
	Family *int64 `json:"peak_family_memory_bytes"`
	// how that was counted: FamilyByCgroup, FamilyByLooks, FamilyByLargest
	FamilyBy string `json:"family_memory_by"`
	// that came from storage, not from memory, for this process and those it waited for; null: the
	// system does not tell
	Fetched *int64  `json:"fetched_bytes"`
	Energy  *Energy `json:"energy"`
}

// The ways to count the memory of a command or program with all that it started.
const (
	FamilyByCgroup  = "cgroup"  // by the kernel, with what it keeps of files that they read or wrote
	FamilyByLooks   = "looks"   // by a look ten times a second at what is no file
	FamilyByLargest = "largest" // by the kernel, of the largest process among them
)

// Energy is what the machine used while the run lasted, other processes included.
type Energy struct {
	Joules float64 `json:"joules"`
	Above  float64 `json:"above_idle_joules"` // of it, beyond what the idle machine draws by the model
	// "rapl": counted by the processor; "meter": by one that was named; "model": computed
	Source string `json:"source"`
	Detail string `json:"detail"` // what was counted, or the model
}

// Share shares out to jobs what the machine has used above idle, as their attempts did by what their containers draw.
// Of GPU workers no counter of the processor knows: where there are such, what is stated of containers holds, and is
// added to a model. It returns how many times what their containers are said to draw that is.
func (r *Run) Share(e *Energy) (times float64) {
	all := 0.0
	for i := range r.Jobs {
		if by := r.Jobs[i].Energy; by != nil {
			all += *by * float64(units.JoulesPerKWh)
		}
	}
	if e == nil || r.Summary.TaskEnergy != nil {
		if e != nil && e.Source == "model" {
			e.Joules, e.Above, e.Detail = e.Joules-e.Above+all, all, e.Detail+", and of GPU workers as stated"
		}
		return 1
	}
	if all == 0 {
		return 1
	}
	times = e.Above / all
	for i := range r.Jobs {
		if j := &r.Jobs[i]; j.Energy != nil {
			if *j.Energy *= times; j.Patient != nil {
				*j.Patient.Energy *= times
			}
		}
	}
	return times
}

// Expectation is what was said of a time before a run.
type Expectation struct {
	Seconds float64 `json:"seconds"` // from when it may begin to its finish
	// by which earlier errors corrected it (profile.Class.Bias); 0: it is not by what runs taught
	Factor float64  `json:"factor,omitempty"`
	Spread *float64 `json:"spread_s"` // standard deviation; null: nothing is known of it
	From   string   `json:"from"`     // what the spread follows from
	Cold   bool     `json:"cold"`     // only cold runs of the class are known
}

// Work is what the committed attempts of a job did with bytes.
type Work struct {
	Read       int64            `json:"bytes_read"`
	Records    int64            `json:"records_read"`
	Shuffled   int64            `json:"bytes_shuffled"`
	Spilled    int64            `json:"records_spilled"`
	Written    int64            `json:"bytes_written"`
	RecordsOut int64            `json:"records_written"`
	Counters   map[string]int64 `json:"counters"` // all of them: GROUP.NAME
}

// decisive is the last of the failed attempts that the job's own reason tells of; nil if there is none.
func (j *Job) decisive() *Failure {
	for i := len(j.Failures) - 1; i >= 0; i-- {
		if f := &j.Failures[i]; f.Reason != "" && strings.HasSuffix(j.Reason, f.Reason) {
			return f
		}
	}
	return nil
}

// Failure is an attempt that failed.
type Failure struct {
	Stage  string  `json:"stage"`
	Task   int     `json:"task"` // from 1
	Try    int     `json:"try"`  // of this task, from 1; 0 = no attempt failed, but what one had committed was damaged
	Node   string  `json:"node"` // of the attempt
	At     float64 `json:"at_s"` // from the start of the run
	Reason string  `json:"reason"`
}

// ByPolicy is where an expectation is from that the policy stated when the job came.
const ByPolicy = "the policy"

// Overtaken names jobs that came later, if most of what it took beyond what the policy expected when it came is that it
// waited for them: no estimate of its own was off by that.
func (j *Job) Overtaken() string {
	if j.Account == nil || j.Expected == nil || j.Finished == nil || j.Expected.From != ByPolicy {
		return ""
	}
	waited, who := j.Account.Overtaken()
	if late := j.Own() - j.Expected.Seconds; late <= 0 || 2*waited.Seconds() < late {
		return ""
	}
	return who
}

// Off is how far the expectation was from the outcome: measured over expected, less 1. It is false if
// there is nothing to compare, as after an interruption.
func (j *Job) Off() (float64, bool) {
	if j.Before || j.Resumed || j.Expected == nil || j.Finished == nil || j.Expected.Seconds <= 0 || j.Overtaken() != "" {
		return 0, false
	}
	return j.Own()/j.Expected.Seconds - 1, true
}

// Own is how long a job that has finished took from when it might begin.
func (j *Job) Own() float64 {
	if j.Ready != nil {
		return *j.Finished - *j.Ready
	}
	return *j.Finished - j.Submitted
}
