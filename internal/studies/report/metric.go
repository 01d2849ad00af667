package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/slackline/slackline/internal/maths/stat"
	"github.com/slackline/slackline/units"
)

// metric is a figure by which one policy is compared with another.
type metric struct {
	name  string
	about string
	more  bool // more of it is better
	of    measure
	unit  unit
	needs need
	told  told
	whole bool // it speaks of the run as a whole, which says something only of runs that did the same work
}

// measure takes the figure of the same seed under two policies. Not all runs have every figure.
type measure func(p *pair) (f figure, has bool)

type figure struct {
	x, y     float64 // under the one policy and the other
	jobs, of int     // it speaks of so many jobs, of so many that were submitted; 0 = of the run as a whole
}

// need is what a scenario must have for its runs to have a figure.
type need int

const (
	nothing need = iota
	deadlines
	softDeadlines
	workflowDeadlines
	power
	supply
	price
	carbon
)

// told says when a metric is told of. Each that is tested makes it harder for the others to be told.
type told int

const (
	everywhere told = iota
	ifUnlike        // where there is a difference
	ifPrimary       // where it was asked for
)

// The metrics, that by which policies are judged first if nobody asks for another: inTime, or where
// no job has a deadline meanResponse.
const (
	inTime       = "in time"
	meanResponse = "mean response"
	kept         = "kept"
)

var metrics = []metric{
	{inTime, "part of the jobs with a deadline that were in time", true, ofSubmitted(func(s *Summary) (int, int) { return s.InTime, s.Deadlines }), points(1), deadlines, everywhere, false},
	{"work in time", "task time of the jobs in time, as part of that of all jobs with a deadline", true, workInTime, points(1), deadlines, everywhere, false},
	{"soft in time", "part of the jobs with a soft deadline that met it", true, ofSubmitted(func(s *Summary) (int, int) { return s.SoftInTime, s.SoftDeadlines }), points(1), softDeadlines, everywhere, false},
	{"accepted", "part of the submitted jobs that were admitted", true, ofSubmitted((*Summary).accepted), points(1), nothing, ifUnlike, false},
	{kept, "part of the promises that were kept", true, ofRun(func(s *Summary) (float64, bool) {
		return float64(s.Kept) / float64(max(1, s.Promised)), s.Promised > 0
	}), points(1), deadlines, ifUnlike, false},
	{"workflows in time", "part of the workflows with a deadline that met it", true, ofRun(func(s *Summary) (float64, bool) {
		return 1 - float64(s.WorkflowsMissed)/float64(max(1, s.WorkflowDeadlines)), s.WorkflowDeadlines > 0
	}), points(1), workflowDeadlines, ifUnlike, false},
	{"tardiness", "mean tardiness of the jobs with a deadline that finished under both policies", false, ofBoth((*Job).tardiness, stat.Mean, due), times, deadlines, everywhere, false},
	{"penalty", "weighted lateness relative to the time allowed, summed over the jobs with a deadline that finished under both policies", false, ofBoth((*Job).penalty, total, due), plain(""), deadlines, everywhere, false},
	{"makespan", "when the last job ended", false, ofRun(func(s *Summary) (float64, bool) { return s.Makespan, s.ran() }), times, nothing, everywhere, true},
	{meanResponse, "mean time from arrival to finish of the jobs that finished under both policies", false, ofBoth((*Job).response, stat.Mean, submitted), times, nothing, everywhere, false},
	{"p95 response", "95th percentile of response of the jobs that finished under both policies", false, ofBoth((*Job).response, func(xs []float64) float64 { return stat.Quantile(xs, 0.95) }, submitted), times, nothing, everywhere, false},
	{"no-deadline response", "mean response of the jobs without a deadline that finished under both policies; compared only if asked for", false, ofBoth((*Job).freeResponse, stat.Mean, free), times, nothing, ifPrimary, false},
	{"local maps", "part of the maps that ran on a node with their input", true, ofRun(func(s *Summary) (float64, bool) { return deref(s.MapLocality) }), points(2), nothing, everywhere, true},
	{"energy", "energy until the last job ended", false, ofRun(func(s *Summary) (float64, bool) { return deref(s.Energy) }), plain(" kWh"), power, everywhere, true},
	{"brown energy", "the part of it not covered by green power", false, ofRun(func(s *Summary) (float64, bool) { return deref(s.Brown) }), plain(" kWh"), supply, everywhere, true},
	{"energy cost", "what the energy that is not green costs; compared only if asked for", false, ofRun(func(s *Summary) (float64, bool) { return deref(s.EnergyCost) }), plain(""), price, ifPrimary, true},
	{"carbon dioxide", "what that energy emits; compared only if asked for", false, ofRun(func(s *Summary) (float64, bool) { return deref(s.Carbon) }), plain(" kg"), carbon, ifPrimary, true},
	{"wakes", "how often nodes were woken or rented; compared only if asked for", false, ofRun(func(s *Summary) (float64, bool) { return float64(s.Wakes), s.ran() }), plain(""), nothing, ifPrimary, true},
}

// pair is the same seed under two policies.
type pair struct {
	a, b *Run
	both [][2]*Job // the jobs that finished under both
	same bool      // the same jobs finished under both
}

func newPair(a, b *Run) *pair {
	p := &pair{a: a, b: b}
	places := make(map[string]int, len(b.Jobs))
	for i := range b.Jobs {
		places[b.Jobs[i].ID] = i
	}
	common := 0
	for i := range a.Jobs {
		k, there := places[a.Jobs[i].ID]
		if there && a.Jobs[i].Outcome.Finished() && b.Jobs[k].Outcome.Finished() {
			common++
		}
		if there && a.Jobs[i].timed() && b.Jobs[k].timed() {
			p.both = append(p.both, [2]*Job{&a.Jobs[i], &b.Jobs[k]})
		}
	}
	p.same = common == a.Summary.Finished() && common == b.Summary.Finished()
	return p
}

// timed tells whether it is known when the job finished.
func (j *Job) timed() bool { return j.Outcome.Finished() && j.Finished != nil && !j.Before }

// ofRun is a figure of the run as a whole.
func ofRun(f func(*Summary) (float64, bool)) measure {
	return func(p *pair) (figure, bool) {
		x, hasX := f(&p.a.Summary)
		y, hasY := f(&p.b.Summary)
		return figure{x: x, y: y}, hasX && hasY
	}
}

// ofSubmitted is a part of jobs that were submitted.
func ofSubmitted(f func(*Summary) (part, of int)) measure {
	return func(p *pair) (figure, bool) {
		a, n := f(&p.a.Summary)
		b, m := f(&p.b.Summary)
		return figure{float64(a) / float64(max(1, n)), float64(b) / float64(max(1, m)), n, n}, n > 0 && m > 0
	}
}

// workInTime is the part of the work that was in time, of jobs with a deadline.
func workInTime(p *pair) (figure, bool) {
	m, has := ofRun(workShare)(p)
	m.jobs, m.of = p.a.Summary.Deadlines, p.a.Summary.Deadlines
	return m, has
}

// ofBoth is a figure of the jobs that finished under both policies. A job that was refused has no
// finish, and a policy is not faster for refusing those that take long. Jobs without such a value
// are not among those submitted either.
func ofBoth(value func(*Job) (float64, bool), sum func([]float64) float64, among func(*Summary) int) measure {
	return func(p *pair) (figure, bool) {
		var xs, ys []float64
		for _, j := range p.both {
			x, has := value(j[0])
			y, hasToo := value(j[1])
			if has && hasToo {
				xs, ys = append(xs, x), append(ys, y)
			}
		}
		if len(xs) == 0 {
			return figure{}, false
		}
		return figure{sum(xs), sum(ys), len(xs), among(&p.a.Summary)}, true
	}
}

// accepted are the jobs that were admitted, of all. One that waited for a refused job was neither
// admitted nor refused.
func (s *Summary) accepted() (part, all int) { return s.Admitted, s.Jobs }

func submitted(s *Summary) int { return s.Jobs }
func due(s *Summary) int       { return s.Deadlines }
func free(s *Summary) int      { return s.Jobs - s.Deadlines }

func (j *Job) response() (float64, bool) { return *j.Finished - j.Submitted, true }

func (j *Job) freeResponse() (float64, bool) { return *j.Finished - j.Submitted, j.Deadline == nil }

func (j *Job) tardiness() (float64, bool) {
	if j.Deadline == nil {
		return 0, false
	}
	return max(0, *j.Finished-*j.Deadline), true
}

func (j *Job) penalty() (float64, bool) {
	return deref(j.Penalty)
}

func total(xs []float64) (sum float64) {
	for _, x := range xs {
		sum += x
	}
	return sum
}

func deref(x *float64) (float64, bool) {
	if x == nil {
		return 0, false
	}
	return *x, true
}

// unit prints a difference; short is for the ends of an interval beside it.
type unit struct{ full, short func(float64) string }

// points are for differences of shares.
func points(digits int) unit {
	short := func(x float64) string { return visible(fmt.Sprintf("%+.*f", digits, 100*x), 100*x) }
	return unit{func(x float64) string { return short(x) + " points" }, short}
}

var times = unit{signedSpan, signedSpan}

func signedSpan(x float64) string {
	text := units.Span(x)
	if math.Abs(x) < 0.0005 {
		return visible("0", x) + " s"
	}
	if x > 0 {
		return "+" + text
	}
	return text
}

// visible is a number as printed, unless that looks like 0 and is not: the end of an interval
// beside 0 would contradict the verdict.
func visible(text string, x float64) string {
	switch {
	case x == 0:
		return "0"
	case strings.Trim(text, "+-0.") == "":
		return fmt.Sprintf("%+.1g", x)
	}
	return text
}

func plain(name string) unit {
	short := func(x float64) string { return visible(fmt.Sprintf("%+.3g", x), x) }
	return unit{func(x float64) string { return short(x) + name }, short}
}

// Metrics are the names of the metrics, and what each of them is.
func Metrics() (list [][2]string) {
	for i := range metrics {
		list = append(list, [2]string{metrics[i].name, metrics[i].about})
	}
	return list
}
