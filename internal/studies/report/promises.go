package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// promise notes what the job's admission said of its finish.
func (j *Job) promise(d *follow.Decision) {
	if o := &d.Outlook; o.Word.Binds() {
		j.Promised, j.Estimated, j.Confidence = seconds(o.By), o.Word == sched.Expected, nil
		if probable(o) {
			j.Confidence = new(float64(o.Confidence) / sched.Certain)
		}
	}
	if j.Admission = ""; d.Outlook.Word == sched.Unpromised {
		j.Admission = d.Why()
	}
}

// probable tells whether an outlook has a probability, as those for the worst case have not.
func probable(o *sched.Outlook) bool { return o.Confidence > 0 && o.Confidence < sched.Certain }

// Outlook is by when a job is expected to be done, in seconds as all times of the report are, as it was told
// at a time.
type Outlook struct {
	At         float64 `json:"at_s"`
	Half       float64 `json:"p50_s,omitempty"` // 0 = it was not told
	Ninety     float64 `json:"p90_s,omitempty"`
	Sure       float64 `json:"promised_s"` // with the confidence
	Confidence float64 `json:"confidence"`
	Chance     float64 `json:"chance,omitempty"` // that its deadline is met; 0 = it was not told
	Why        string  `json:"why,omitempty"`    // it moved; "" = it was told when the job was let in
}

// OutlookOf is what a decision tells of a job's finish; false if that is nothing, or what is told of a job
// that is let in has no probability.
func OutlookOf(at units.Time, d *follow.Decision) (o Outlook, told bool) {
	is := &d.Outlook
	if d.Job == nil || !is.Foreseen() || max(is.By, is.Half, is.Ninety) == units.Never {
		return o, false
	}
	switch {
	case d.Verb == sched.Foretell:
		o.Why = d.Why()
	case d.Verb != sched.Admit || !probable(is):
		return o, false
	}
	o.At, o.Half, o.Ninety, o.Sure, o.Confidence = at.Seconds(), is.Half.Seconds(), is.Ninety.Seconds(), is.By.Seconds(), float64(is.Confidence)/sched.Certain
	o.Chance = float64(is.Chance) / sched.Certain
	return o, true
}

// DoneBy says when a job is done as it was told: half of all such jobs, 90 % of them, and with the confidence. What
// is "" was not told.
func DoneBy(half, ninety, by string, confidence float64) string {
	var parts []string
	if half != "" {
		parts = append(parts, "50 % by "+half)
	}
	if ninety != "" {
		parts = append(parts, "90 % by "+ninety)
	}
	switch {
	case by == "" || confidence == 0.9 && ninety != "":
	case confidence == 0:
		parts = append(parts, "expected by "+by)
	default:
		parts = append(parts, stated(confidence)+" by "+by)
	}
	return strings.Join(parts, ", ")
}

// DoneBy says so with instants as write has them.
func (o *Outlook) DoneBy(write func(seconds float64) string) string {
	told := func(at float64) string {
		if at == 0 {
			return ""
		}
		return write(at)
	}
	return DoneBy(told(o.Half), told(o.Ninety), told(o.Sure), o.Confidence)
}

// mostOutlooks is how many a report keeps of a job: the first, and the last ones.
const mostOutlooks = 6

// foresee keeps an outlook.
func (j *Job) foresee(o Outlook) {
	if len(j.Outlooks) == mostOutlooks {
		j.Outlooks = slices.Delete(j.Outlooks, 1, 2)
	}
	j.Outlooks = append(j.Outlooks, o)
}

// outlook is what was told of the job's finish besides, last.
func (j *Job) outlook() string {
	if len(j.Outlooks) == 0 {
		return ""
	}
	o := &j.Outlooks[len(j.Outlooks)-1]
	if o.Why != "" {
		return fmt.Sprintf("; at %s: %s", units.Span(o.At), o.Why)
	}
	more := Outlook{Half: o.Half, Ninety: o.Ninety} // the rest has a column
	if more == (Outlook{}) {
		return ""
	}
	return "; " + more.DoneBy(units.Span)
}

// mostPromises is how many promises, and how many jobs that were refused, failed or were killed,
// are listed of a run; the JSON report has them all.
const mostPromises = 10

// writePromises tells, of runs whose admission promises deadlines, which were kept, and how the
// finish compares to what was expected when the job was admitted. Jobs that were refused have no
// promise; writeReasons has them. A promise is judged by the deadline alone: jobs that came later
// may have lawfully overtaken one that waited. Whoever asked for no deadline waits for no promise.
// Where there are too many, broken promises come first, then the others, then jobs that run without
// one.
func writePromises(w io.Writer, g []*Run) {
	for _, run := range g {
		var list []*Job
		for i := range run.Jobs {
			j := &run.Jobs[i]
			if !j.Before && j.Deadline != nil && j.Outcome != Refused && (j.Promised != nil || j.Admission != "") {
				list = append(list, j)
			}
		}
		if len(list) == 0 {
			continue
		}
		if len(list) > mostPromises {
			slices.SortStableFunc(list, func(a, b *Job) int { return cmp.Compare(a.promiseRank(), b.promiseRank()) })
		}
		by, than := by(list[:min(len(list), mostPromises)])
		t := &Grid{Title: label(run, g) + ", promises and their outcome", Least: []string{"", than, by}}
		t.Add("job", ">deadline", ">"+by, ">finished", "promise", ">"+than, "")
		for _, j := range list[:min(len(list), mostPromises)] {
			note := j.Admission
			if j.Estimated {
				note = "an estimate from a sample"
			}
			if j.Confidence != nil {
				note = "with " + stated(*j.Confidence) + j.outlook()
			}
			t.Add(j.ID, dueAt(j.Deadline), orDash(j.Promised), orDash(j.Finished), j.kept(), j.unexpected(), note)
		}
		if more := len(list) - mostPromises; more > 0 {
			t.Add(fmt.Sprintf("… and %d more; -o json has them all", more))
		}
		fmt.Fprintln(w)
		_ = t.Write(w)
	}
}

// by are the headings of what a list of jobs was told, and of how its finishes compare to that. With a probability it
// is no expectation: most end sooner.
func by(list []*Job) (told, than string) {
	said := map[string]bool{}
	for _, j := range list {
		switch {
		case j.Promised == nil:
		case j.Confidence == nil:
			return "expected by", "than expected"
		default:
			said["with "+stated(*j.Confidence)+" by"] = true
		}
	}
	switch len(said) {
	case 0:
		return "expected by", "than expected"
	case 1:
		for told = range said {
		}
		return told, "than that"
	}
	return "likely by", "than that"
}

// promiseRank orders the jobs of the list: broken promises first, then promises, then the others.
func (j *Job) promiseRank() int {
	switch {
	case j.Outcome == Broken:
		return 0
	case j.Promised != nil:
		return 1
	}
	return 2
}

// aloneRefused are the refusals for which no other job is to blame, in the words of a count. What
// would be late by the worst that is known need not be late: elsewhere such a job may have been
// lucky.
var aloneRefused = []struct {
	why  *sched.Cause
	text string
}{
	{estimate.AloneLate, "%d would be late even alone, in the worst case"},
	{estimate.AloneLateMean, "%d would be late even alone, on average"},
	{estimate.TooFewSlots, "%d need more slots at once than there are"},
	{estimate.NoSlots, "%d need slots that no node has"},
	{estimate.Unbounded, "%d have no known worst case"},
}

// refusals counts the refused jobs for which no other is to blame.
func (r *Run) refusals() string {
	kinds := map[string]int{}
	for i := range r.Jobs {
		kinds[r.Jobs[i].Refusal]++
	}
	var parts []string
	for _, c := range aloneRefused {
		if n := kinds[c.why.String()]; n > 0 {
			parts = append(parts, fmt.Sprintf(c.text, n))
		}
	}
	if parts == nil {
		return ""
	}
	return fmt.Sprintf("; of the %d refused jobs, ", r.Summary.Refused) + strings.Join(parts, ", ")
}

// writeReasons tells of the jobs of each run that were refused, failed or were killed, and why, and
// of those that would not have run if the policy had not only watched.
func writeReasons(w io.Writer, g []*Run) {
	for _, run := range g {
		lines, more := 0, 0
		for i := range run.Jobs {
			j := &run.Jobs[i]
			watched := j.Advice != "" && !strings.HasPrefix(j.Advice, advised[sched.Admit])
			late := j.lateness()
			if j.Reason == "" && !watched && late == "" {
				continue
			}
			if lines++; lines > mostPromises {
				more++
				continue
			}
			outcome := "was " + string(j.Outcome)
			if j.Outcome == Failed {
				outcome = "failed"
			}
			if watched {
				fmt.Fprintf(w, "%s: job %q %s\n", label(run, g), j.ID, Indented(j.Advice, "    "))
			}
			if late != "" {
				fmt.Fprintf(w, "%s: job %q %s: %s\n", label(run, g), j.ID, verdict(j), Indented(late, "    "))
			}
			if j.Reason == "" {
				continue
			}
			fmt.Fprintf(w, "%s: job %q %s: %s\n", label(run, g), j.ID, outcome, Indented(j.Reason, "    "))
			if f := j.decisive(); f != nil {
				fmt.Fprintf(w, "    slackline logs %s %s-%d shows all its output\n", Printable(ShellWord(j.ID)), f.Stage, f.Task)
			}
		}
		if more > 0 {
			fmt.Fprintf(w, "%s: … and %d more; -o json has them all%s\n", label(run, g), more, run.refusals())
		}
		if s := &run.Summary; s.underused() {
			fmt.Fprintf(w, "%s: %d of %d jobs were refused while less than a tenth of the slots was used: its estimates of task times "+
				"are the likely cause%s\n", label(run, g), s.Refused, s.Jobs, run.remedy())
		}
	}
}

// remedy is what helps where estimates make a policy refuse too much.
func (r *Run) remedy() string {
	switch {
	case r.World != "sim":
		return "; slackline profile show CLASS prints them"
	case strings.HasPrefix(r.Policy, "rtmr"):
		return "; promise does not take each task for the slowest"
	}
	return ""
}

// underused tells whether a run refused more than half of its jobs and used less than a tenth of its slots.
func (s *Summary) underused() bool {
	const few = 10 // jobs, of which a share says little
	return s.Jobs >= few && 2*s.Refused > s.Jobs && s.MapUtilization < 0.1 && s.ReduceUtilization < 0.1
}

// kept says what became of the promise, which is the deadline; without one, with which chance that was to be met.
func (j *Job) kept() string {
	switch {
	case j.Outcome == Broken && j.Finished != nil:
		return "BROKEN by " + units.Span(*j.Finished-*j.Deadline)
	case j.Promised != nil:
		return string(j.Outcome)
	case len(j.Outlooks) > 0 && j.Outlooks[0].Chance > 0:
		return fmt.Sprintf("none, %v %%", math.Floor(1000*j.Outlooks[0].Chance)/10)
	}
	return "none"
}

// unexpected says how the finish compares to what was expected at admission.
func (j *Job) unexpected() string {
	switch {
	case j.Promised == nil || !j.Outcome.Finished() || j.Finished == nil:
		return ""
	case math.Abs(*j.Finished-*j.Promised) < 0.0005:
		return units.Span(0)
	case *j.Finished < *j.Promised:
		return units.Span(*j.Promised-*j.Finished) + " earlier"
	}
	return units.Span(*j.Finished-*j.Promised) + " later"
}
