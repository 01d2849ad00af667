package experiment

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/maths/spelling"
)

// Metric is a number of a run. It is NaN where the run does not have it.
type Metric struct {
	Name string
	// "%" for a part of 1, "points" for a difference of such, "s" for seconds, or chosen
	Unit string
	Of   func(*Outcome) float64
}

// chosen is the unit of seconds that were chosen, from a few: how far such are from each other is no distance.
const chosen = "D"

// metrics are the numbers of a run by the names that data call them. Those of jobs may be of a size
// alone: "locality bin1".
var metrics = map[string]func(size string) Metric{
	"locality":           locality,
	"map response":       response,
	"running":            func(string) Metric { return running() },
	"accept ratio":       func(string) Metric { return accepted() },
	"kept of accepted":   func(string) Metric { return succeeded() },
	"utilisation":        func(string) Metric { return utilisation(false) },
	"utilisation by all": func(string) Metric { return utilisation(true) },
	"penalty":            penalty,
	"in time":            inTime,
	"late":               late,
	"completion":         completion,

	"solve time":             func(string) Metric { return value("solve time", "ms") },
	"gap":                    func(string) Metric { return value("gap", "%") },
	"saved by sharing":       func(string) Metric { return value("saved by sharing", "%") },
	"saved, split":           func(string) Metric { return value("saved, split", "%") },
	"cost varies by":         func(string) Metric { return value("cost varies by", "%") },
	"varies, whole":          func(string) Metric { return value("varies, whole", "%") },
	"times the cost":         func(string) Metric { return value("times the cost", "times") },
	"gap of the upper bound": func(string) Metric { return value("gap of the upper bound", "%") },
	"gap of the midpoint":    func(string) Metric { return value("gap of the midpoint", "%") },
	"iterations":             func(string) Metric { return value("iterations", "") },
}

// UnmarshalText finds a metric by its name.
func (m *Metric) UnmarshalText(text []byte) error {
	name := string(text)
	for _, sized := range []string{"locality", "map response", "penalty", "in time", "late", "completion"} {
		if size, ok := strings.CutPrefix(name, sized+" "); ok {
			*m = metrics[sized](size)
			return nil
		}
	}
	if metrics[name] == nil {
		return fmt.Errorf("there is no metric %q%s", name, spelling.Hint(name, slices.Collect(maps.Keys(metrics))))
	}
	*m = metrics[name]("")
	return nil
}

// format prints a value of the metric.
func (m *Metric) format(x float64) string {
	switch {
	case math.IsNaN(x):
		return "none"
	case m.Unit == "%" && math.Abs(x) < 0.01 && math.Abs(x) > 1e-12:
		return fmt.Sprintf("%.2g %%", 100*x)
	case m.Unit == "%":
		return fmt.Sprintf("%.1f %%", 100*x)
	case m.Unit == "points":
		return fmt.Sprintf("%.1f points", 100*x)
	case m.Unit == chosen:
		return fmt.Sprintf("%g s", x)
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

// perMap is a metric of jobs of a size, over their committed maps.
func perMap(name, unit, size string, of func(*Job) float64) Metric {
	return Metric{cmp.Or(size, name), unit, func(o *Outcome) float64 {
		sum, all := 0.0, 0.0
		for i := range o.Jobs {
			if j := &o.Jobs[i]; size == "" || strings.HasPrefix(j.ID, size+"-") {
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

// perJob is the mean of jobs of a size that have a value.
func perJob(name, unit, size string, of func(*Job) float64) Metric {
	return Metric{strings.TrimSpace(name + " " + size), unit, func(o *Outcome) float64 {
		sum, n := 0.0, 0
		for i := range o.Jobs {
			j := &o.Jobs[i]
			if size != "" && j.ID != size && !strings.HasPrefix(j.ID, size+"-") {
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
	return perJob("penalty", "of a deadline", size, func(j *Job) float64 {
		if j.Penalty == nil {
			return math.NaN()
		}
		return *j.Penalty
	})
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

// completion is the mean time from the arrival of jobs to their end.
func completion(size string) Metric {
	return perJob("completion", "s", size, func(j *Job) float64 {
		if j.Finished == nil {
			return math.NaN()
		}
		return *j.Finished - j.Submitted
	})
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
