package synth

import (
	"errors"
	"io"
	"math"

	"github.com/slackline/slackline/internal/maths/stat"
	"github.com/slackline/slackline/internal/studies/trace"
	"github.com/slackline/slackline/units"
)

// Stats is what a workload looks like.
type Stats struct {
	Jobs  int     `json:"jobs"`
	Span  float64 `json:"span_seconds"` // from the first arrival to the last
	Tasks int64   `json:"tasks"`
	// TasksByRule is how many of the tasks the trace does not list; they follow from bytes by this
	// version of the rule.
	TasksByRule int64 `json:"tasks_by_rule"`
	Rule        int   `json:"rule"`
	// The bytes of the jobs of which they are known; null: of none.
	Input   *float64 `json:"input_bytes"`
	Shuffle *float64 `json:"shuffle_bytes"`
	Output  *float64 `json:"output_bytes"`

	Deadlines int `json:"jobs_with_deadline"`
	After     int `json:"jobs_that_wait_for_others"`

	// Burstiness of arrivals: the coefficient of variation of gaps is 1 for a Poisson process, and
	// so is the index of dispersion, the variance of the number of arrivals in a minute over its
	// mean. PeakHour is the busiest hour over the mean hour.
	GapMean    float64 `json:"gap_mean_seconds"`
	GapCV      float64 `json:"gap_cv"`
	Dispersion float64 `json:"dispersion_per_minute"`
	PeakHour   float64 `json:"peak_hour_over_mean"`

	Quantities []Quantity `json:"quantities"`
	Hours      [24]Hour   `json:"hours"`

	trace.Account // what is left out, and what the trace does not say

	sketches [len(quantityNames)]sketch
}

// Quantity is the distribution of one quantity, over the jobs, or tasks, of which it is known.
// Quantiles are off by at most 1 %.
type Quantity struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"` // bytes, tasks or seconds
	N     int64   `json:"n"`
	Mean  float64 `json:"mean"`
	P10   float64 `json:"p10"`
	P50   float64 `json:"p50"`
	P90   float64 `json:"p90"`
	P99   float64 `json:"p99"`
	Most  float64 `json:"max"`
	Zeros int64   `json:"zeros"`
}

// Hour is the load of an hour of the day, counted from the start of the trace.
type Hour struct {
	Jobs        int      `json:"jobs"`
	Input       *float64 `json:"input_bytes"` // null: of no job is it known
	Tasks       int64    `json:"tasks"`
	TaskSeconds float64  `json:"task_seconds"` // of tasks whose time the trace tells
}

// The quantities, in the order of their sketches.
const (
	ofInput = iota
	ofShuffle
	ofOutput
	ofTasks
	ofTime
	ofDeadline
)

var quantityNames = [...][2]string{ofInput: {"input", "bytes"}, ofShuffle: {"shuffle", "bytes"}, ofOutput: {"output", "bytes"},
	ofTasks: {"tasks of a job", "tasks"}, ofTime: {"time of a task", "seconds"}, ofDeadline: {"deadline after arrival", "seconds"}}

// Measure reads a trace to its end. Tasks that it does not list are counted by that version of the rule.
func Measure(r trace.Reader, version int) (*Stats, error) {
	s := &Stats{Rule: version}
	rule := trace.DefaultRule(math.MaxInt32)
	rule.Version = version
	var gaps stat.Sum
	var minutes, hours windows
	minutes.width, hours.width = units.Minute, units.Hour
	first, last := units.Time(0), units.Time(0)
	for {
		j, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if s.Jobs == 0 {
			first = j.Submit
		} else {
			gap := j.Submit.Sub(last).Seconds()
			gaps.Add(gap)
		}
		last = j.Submit
		s.Jobs++
		minutes.add(j.Submit.Sub(first))
		hours.add(j.Submit.Sub(first))
		if err := s.job(j, &rule); err != nil {
			return nil, err
		}
	}
	s.Account = r.Account()
	s.Span = last.Sub(first).Seconds()
	if s.GapMean = gaps.Mean(); s.GapMean > 0 {
		s.GapCV = gaps.Deviation() / s.GapMean
	}
	s.Dispersion = minutes.dispersion()
	s.PeakHour = hours.peak()
	for i := range s.sketches {
		if k := &s.sketches[i]; k.n > 0 {
			s.Quantities = append(s.Quantities, Quantity{Name: quantityNames[i][0], Unit: quantityNames[i][1], N: k.n, Mean: k.sum / float64(k.n),
				P10: k.quantile(0.1), P50: k.quantile(0.5), P90: k.quantile(0.9), P99: k.quantile(0.99), Most: k.most, Zeros: k.zeros})
		}
	}
	return s, nil
}

func (s *Stats) job(j *trace.Job, rule *trace.Rule) error {
	h := &s.Hours[int(j.Submit/units.Time(units.Hour))%24]
	h.Jobs++
	for i, x := range []struct {
		size units.Bytes
		to   **float64
	}{{j.Input, &s.Input}, {j.Shuffle, &s.Shuffle}, {j.Output, &s.Output}} {
		if x.size >= 0 {
			count(x.to, x.size)
			s.sketches[ofInput+i].add(float64(x.size), 1)
		}
	}
	if j.Input >= 0 {
		count(&h.Input, j.Input)
	}
	n := 0
	if len(j.Stages) == 0 {
		maps, reduces, err := rule.Tasks(j)
		if err != nil {
			return err
		}
		n = maps + reduces
		s.TasksByRule += int64(n)
	}
	for i := range j.Stages {
		for _, t := range j.Stages[i].Tasks {
			n += t.Count
			if t.Time >= 0 {
				time := (t.Time + t.Shuf).Seconds()
				s.sketches[ofTime].add(time, t.Count)
				h.TaskSeconds += time * float64(t.Count)
			}
		}
	}
	s.Tasks += int64(n)
	h.Tasks += int64(n)
	s.sketches[ofTasks].add(float64(n), 1)
	if j.Deadline > 0 {
		s.Deadlines++
		s.sketches[ofDeadline].add(j.Deadline.Seconds(), 1)
	}
	if len(j.After) > 0 {
		s.After++
	}
	return nil
}

// count adds known bytes to a sum, which begins with the first of them.
func count(sum **float64, b units.Bytes) {
	if *sum == nil {
		*sum = new(float64)
	}
	**sum += float64(b)
}

// windows counts arrivals, which come in order, in windows of equal width.
type windows struct {
	width       units.Duration
	at          units.Duration // number of the window
	in, most    float64        // arrivals in it, and in the fullest
	sum, square float64        // of those in the windows before
}

func (w *windows) add(since units.Duration) {
	if at := since / w.width; at != w.at {
		w.close()
		w.at, w.in = at, 0
	}
	w.in++
	w.most = max(w.most, w.in)
}

func (w *windows) close() {
	w.sum += w.in
	w.square += w.in * w.in
}

// dispersion is the variance over the mean of the number of arrivals in a window, empty ones counted.
func (w windows) dispersion() float64 {
	w.close()
	n := float64(w.at + 1)
	if n < 2 || w.sum == 0 {
		return 0
	}
	mean := w.sum / n
	return (w.square - n*mean*mean) / (n - 1) / mean
}

// peak is the fullest window over the mean.
func (w windows) peak() float64 {
	w.close()
	if w.sum == 0 {
		return 0
	}
	return w.most / (w.sum / float64(w.at+1))
}
