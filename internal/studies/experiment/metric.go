package experiment

import (
	"cmp"
	"fmt"
	"math"
	"strings"
)

// Metric is a number of a run. It is NaN where the run does not have it.
type Metric struct {
	Name string
	// "%" for a part of 1, "points" for a difference of such, "s" for seconds, or chosen
	Unit string
	Of   func(*Outcome) float64
}

// chosen stands for the unit of a parameter that was chosen, from a few, which is the name then: how far such
// are from each other is no distance.
const chosen = "chosen"

// allJobs are those of which a metric is that names no size, class or job.
const allJobs = ""

// format prints a value of the metric.
func (m *Metric) format(x float64) string {
	switch {
	case math.IsNaN(x):
		return "none"
	case m.Unit == "%" && math.Abs(x) < 0.01 && math.Abs(x) > 1e-12:
		return fmt.Sprintf("%.2g %%", 100*x)
	case m.Unit == "%":
		return fmt.Sprintf("%.1f %%", 100*x)
	case m.Unit == part:
		return fmt.Sprintf("%.1f %%", 100*x)
	case m.Unit == "points":
		return fmt.Sprintf("%.1f points", 100*x)
	case m.Unit == chosen:
		return strings.TrimSpace(fmt.Sprintf("%g %s", x, m.Name))
	case math.Abs(x) < 10:
		return fmt.Sprintf("%.2f %s", x, m.Unit)
	}
	return fmt.Sprintf("%.1f %s", x, m.Unit)
}

// difference is the metric of a difference of two values.
func (m Metric) difference() *Metric {
	if m.Unit == "%" {
		m.Unit = "points"
	}
	return &m
}

// part is the unit of what is compared over another one: a part of the other's.
const part = "of the other's"

// over is the metric as a series has it that is compared over another one.
func (m Metric) over(s Series) Metric {
	if s.Over != "" {
		m.Unit = part
	}
	return m
}

// words are what a difference below 0 and one above 0 are.
func (m *Metric) words() [2]string {
	if m.Unit == "s" {
		return [2]string{"shorter", "longer"}
	}
	return [2]string{"less", "more"}
}

// within cuts an interval at what the metric can be.
func (m *Metric) within(ci [2]float64) [2]float64 {
	if m.Unit == "%" {
		return [2]float64{max(0, ci[0]), min(1, ci[1])}
	}
	return ci
}

// over divides, NaN by nothing.
func over(a, b float64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return a / b
}

// known is a number, NaN where there is none.
func known(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

// is tells whether the job is of a size or class, or is the one job of that name. All are of none.
func (j *Job) is(size string) bool {
	return size == "" || j.ID == size || j.Class == size || strings.HasPrefix(j.ID, size+"-")
}

// perMap is a metric of jobs of a size, over their committed maps.
func perMap(name, unit, size string, of func(*Job) float64) Metric {
	return Metric{cmp.Or(size, name), unit, func(o *Outcome) float64 {
		sum, all := 0.0, 0.0
		for i := range o.Jobs {
			if j := &o.Jobs[i]; j.is(size) {
				sum += of(j)
				all += float64(j.Maps)
			}
		}
		return over(sum, all)
	}}
}

// locality is the part of the maps that ran beside their input (paper 003, eq. 4.1), of jobs of a size.
func locality(size string) Metric {
	return perMap("locality", "%", size, func(j *Job) float64 { return float64(j.Local) })
}

// response is the mean time of maps from their job's arrival to their end, of jobs of a size.
func response(size string) Metric {
	return perMap("map response", "s", size, func(j *Job) float64 { return j.Response.Seconds() })
}

// running is the part of the response for which maps ran.
func running() Metric {
	return perMap("of it running", "s", "", func(j *Job) float64 { return j.Running.Seconds() })
}

// perJob is the mean of the jobs of a size or class, or of the one job, that have a value.
func perJob(name, unit, size string, of func(*Job) float64) Metric {
	return Metric{strings.TrimSpace(name + " " + size), unit, func(o *Outcome) float64 {
		sum, n := 0.0, 0
		for i := range o.Jobs {
			j := &o.Jobs[i]
			if !j.is(size) {
				continue
			}
			if x := of(j); !math.IsNaN(x) {
				sum += x
				n++
			}
		}
		return over(sum, float64(n))
	}}
}

// penalty is the mean penalty of jobs (paper 000, eq. 1).
func penalty(size string) Metric {
	m := perJob("penalty", "of a deadline", size, func(j *Job) float64 { return known(j.Penalty) })
	if of := m.Of; size == "" {
		m.Of = func(o *Outcome) float64 {
			if x, ok := o.Values[m.Name]; ok { // it was computed
				return x
			}
			return of(o)
		}
	}
	return m
}

// inTime is the part of the jobs with a deadline that met it.
func inTime(size string) Metric {
	return perJob("in time", "%", size, func(j *Job) float64 {
		switch {
		case j.Deadline == nil:
			return math.NaN()
		case j.Outcome.InTime():
			return 1
		}
		return 0
	})
}

// late is the rest of them.
func late(size string) Metric {
	m, met := perJob("late", "%", size, nil), inTime(size)
	m.Of = func(o *Outcome) float64 { return 1 - met.Of(o) }
	return m
}

// softLate is the part of the jobs with a soft deadline that did not end by it.
func softLate(size string) Metric {
	return perJob("soft late", "%", size, func(j *Job) float64 {
		switch {
		case j.SoftDeadline == nil:
			return math.NaN()
		case j.Finished != nil && *j.Finished <= *j.SoftDeadline:
			return 0
		}
		return 1
	})
}

// hardOfSoft is the part of the jobs late by their soft deadline that are late by the hard one too.
func hardOfSoft(size string) Metric {
	soft, hard := softLate(size), late(size)
	return Metric{strings.TrimSpace("hard of soft late " + size), "%",
		func(o *Outcome) float64 { return over(hard.Of(o), soft.Of(o)) }}
}

// completion is the mean time from the arrival of jobs to their end.
func completion(size string) Metric {
	return perJob("completion", "s", size, func(j *Job) float64 { return known(j.Finished) - j.Submitted })
}

// accepted is the part of the jobs that were admitted (paper 003, section 5.3.2).
func accepted() Metric {
	return Metric{"accept ratio", "%", func(o *Outcome) float64 { return over(float64(o.Summary.Admitted), float64(o.Summary.Jobs)) }}
}

// succeeded is the part of the accepted jobs that finished by their deadline, which the paper calls
// successful. It says nothing of those that were refused: beside it belongs the accept ratio.
func succeeded() Metric {
	return Metric{"kept of accepted", "%", func(o *Outcome) float64 { return over(float64(o.Summary.InTime), float64(o.Summary.Admitted)) }}
}

// utilisation is the slot time of jobs over that which was there from the arrival of the first
// admitted job to the end of the last: of successful jobs, or of all. The paper has "the turnaround
// execution time of all accepted jobs" (section 5.3.2).
func utilisation(all bool) Metric {
	return Metric{"utilisation", "%", func(o *Outcome) float64 {
		used, from, to := 0.0, math.Inf(1), 0.0
		for i := range o.Jobs {
			j := &o.Jobs[i]
			if !j.Admitted {
				continue
			}
			from = min(from, j.Submitted)
			if j.Finished != nil {
				to = max(to, *j.Finished)
			}
			if all || j.Outcome.InTime() {
				used += j.Slots.Seconds()
			}
		}
		if to == 0 {
			return math.NaN()
		}
		return over(used, (to-from)*(o.Summary.MapSlots+o.Summary.ReduceSlots))
	}}
}

// activation is the mean time from when a job is given a slot more to when something begins there (paper 000,
// section 6.5).
func activation(name string, stage int, size string) Metric {
	return Metric{strings.TrimSpace(name + " " + size), "s", func(o *Outcome) float64 {
		sum, n := 0.0, 0
		for i := range o.Jobs {
			if j := &o.Jobs[i]; j.is(size) {
				sum += j.stages[stage].waited.Seconds()
				n += j.stages[stage].waits
			}
		}
		return over(sum, float64(n))
	}}
}

// mapActivation is that of maps, of jobs of a size.
func mapActivation(size string) Metric { return activation("map activation", 0, size) }

// reduceActivation is that of reduces.
func reduceActivation(size string) Metric { return activation("reduce activation", 1, size) }

// modelError is the root of the mean squared error of the progress that rds expects of each job in
// each interval, divided by its mean, or by how far the largest is from the least (paper 000,
// section 6.3). Progress is the part of the job's work that is done, each task at the mean time of
// its stage.
func modelError(name string, byRange bool) Metric {
	return Metric{name, "%", func(o *Outcome) float64 {
		squares, sum, n := 0.0, 0.0, 0.0
		least, most := math.Inf(1), math.Inf(-1)
		for i := range o.Jobs {
			j := &o.Jobs[i]
			all := j.work([2]int{j.stages[0].tasks, j.stages[1].tasks})
			for _, f := range j.foresee {
				if !f.over || all == 0 {
					continue
				}
				did := j.work(f.done) / all
				squares += (f.part - did) * (f.part - did)
				sum += did
				n++
				least, most = min(least, did), max(most, did)
			}
		}
		if by := sum / n; !byRange {
			return over(math.Sqrt(squares/n), by)
		}
		return over(math.Sqrt(squares/n), most-least)
	}}
}

// work is that of so many maps and reduces, by the mean time of those that the job has committed.
func (j *Job) work(tasks [2]int) (seconds float64) {
	for s, n := range tasks {
		if of := &j.stages[s]; of.done > 0 {
			seconds += of.work.Seconds() / float64(of.done) * float64(n)
		}
	}
	return seconds
}

// nodesRented is how often a node was rented.
func nodesRented() Metric {
	return Metric{"nodes rented", "nodes", func(o *Outcome) float64 {
		n := 0
		for _, r := range o.Bill {
			n += r.Rented
		}
		return float64(n)
	}}
}

// nodeHours are those of rented nodes, until the last job ended.
func nodeHours() Metric {
	return Metric{"rented node-hours", "node-hours", func(o *Outcome) float64 { return known(o.Summary.Rented) }}
}

// rent is what they cost.
func rent() Metric {
	return Metric{"rent", "in all", func(o *Outcome) float64 { return known(o.Summary.Rent) }}
}

// within is the part of the jobs that took at most so many times as long as their deadline allowed.
func within(times float64) Metric {
	return perJob(fmt.Sprintf("within %g deadlines", times), "%", allJobs, func(j *Job) float64 {
		switch {
		case j.Deadline == nil:
			return math.NaN()
		case j.Finished != nil && *j.Finished-j.Submitted <= times*(*j.Deadline-j.Submitted):
			return 1
		}
		return 0
	})
}
