package synth

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/files"
	"github.com/slackline/slackline/internal/maths/spelling"
	"github.com/slackline/slackline/internal/studies/trace"
	"github.com/slackline/slackline/units"
)

// Model is a workload in numbers, from which others like it are drawn. Its JSON form is what people share.
type Model struct {
	Version int     `json:"slackline_model"`
	Jobs    int     `json:"jobs"`         // of the trace it was fitted to
	Span    float64 `json:"span_seconds"` // of that trace

	// Rates are arrivals an hour, by hour of the day, counted from the start of the trace.
	Rates [24]float64 `json:"rates"`
	Burst *Burst      `json:"burst,omitempty"`

	// Quantities describe each quantity by itself, Cells which go together: a cell is a level of
	// each quantity, in their order. Level -1 means that the quantity is unknown or not there, 0
	// that it is 0, k that it lies in the k-th of Levels parts of the values above 0. The parts are
	// finer at both ends, where the large jobs are that make most of a workload.
	Levels     int        `json:"levels"`
	Quantities []Marginal `json:"quantities"`
	Cells      []Cell     `json:"cells"`

	// Spread is the coefficient of variation of the times of tasks within a job, by stage.
	Spread map[string]float64 `json:"spread,omitempty"`
}

// Marginal is the distribution of the values of a quantity that are above 0, as quantiles at Probabilities.
type Marginal struct {
	Name      string    `json:"name"`
	Quantiles []float64 `json:"quantiles"`
}

// Cell is how many jobs lay in the same level of every quantity.
type Cell struct {
	Jobs   int   `json:"jobs"`
	Levels []int `json:"levels"`
}

// probabilities are those of the quantiles of a model: each 1/64, and more in the upper tail.
var probabilities = func() (p []float64) {
	for i := range 64 {
		p = append(p, float64(i)/64)
	}
	return append(p, 0.99, 0.995, 0.999, 0.9995, 0.9999, 1)
}()

// edges are the probabilities between which the parts lie, of 16 parts; of 8 and 4, each second and fourth.
var edges = [17]float64{0, 0.01, 0.04, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.88, 0.94, 0.975, 0.99, 0.997, 1}

// edge is where the part behind so many others begins.
func (m *Model) edge(parts int) float64 { return edges[parts*(16/m.Levels)] }

// quantity is something that a job has a number of.
type quantity struct {
	name string
	get  func(*trace.Job) float64 // negative: not there
	set  func(*trace.Job, float64)
	most float64
}

// quantities are all that a model may have. Those that no job has are left out of it.
var quantities = func() []quantity {
	size := func(name string, of func(*trace.Job) *units.Bytes) quantity {
		return quantity{name, func(j *trace.Job) float64 { return float64(*of(j)) }, func(j *trace.Job, x float64) { *of(j) = units.Bytes(x) }, 1e18}
	}
	all := []quantity{
		size("input", func(j *trace.Job) *units.Bytes { return &j.Input }),
		size("shuffle", func(j *trace.Job) *units.Bytes { return &j.Shuffle }),
		size("output", func(j *trace.Job) *units.Bytes { return &j.Output }),
		{"deadline", func(j *trace.Job) float64 {
			if j.Deadline == 0 {
				return -1
			}
			return j.Deadline.Seconds()
		}, func(j *trace.Job, x float64) { j.Deadline = max(1, units.FromSeconds(x)) }, 1e9},
	}
	for _, kind := range stages {
		stage := func(j *trace.Job) *trace.Stage {
			s := j.Stage(kind)
			if s == nil {
				s = &trace.Stage{}
			}
			return s
		}
		all = append(all,
			quantity{kind.String() + " tasks", func(j *trace.Job) float64 {
				if n := stage(j).Count(); n > 0 {
					return float64(n)
				}
				return -1
			}, func(j *trace.Job, x float64) {
				j.Stages = append(j.Stages, trace.Stage{Kind: kind, Tasks: []trace.Task{{Count: max(1, int(math.Round(x))), Input: trace.Unknown, Time: trace.UnknownTime}}})
			}, trace.MaxTasks / 10},
			quantity{kind.String() + " time", func(j *trace.Job) float64 { mean, _ := times(stage(j)); return mean },
				func(j *trace.Job, x float64) {
					if s := j.Stage(kind); s != nil {
						s.Tasks[0].Time = units.FromSeconds(x)
					}
				}, 1e9},
			quantity{kind.String() + " shuffle", func(j *trace.Job) float64 {
				n, total := 0, 0.0
				for _, t := range stage(j).Tasks {
					if t.Time >= 0 {
						n += t.Count
						total += float64(t.Count) * t.Shuf.Seconds()
					}
				}
				if n == 0 {
					return -1
				}
				return total / float64(n)
			}, func(j *trace.Job, x float64) {
				if s := j.Stage(kind); s != nil {
					s.Tasks[0].Shuf = units.FromSeconds(x)
				}
			}, 1e9})
	}
	return all
}()

// times returns mean and coefficient of variation of the times that are known, in s; -1 if none is.
func times(s *trace.Stage) (mean, cv float64) {
	n, sum, square := 0.0, 0.0, 0.0
	for _, t := range s.Tasks {
		if t.Time >= 0 {
			c, x := float64(t.Count), t.Time.Seconds()
			n += c
			sum += c * x
			square += c * x * x
		}
	}
	if n == 0 {
		return -1, 0
	}
	mean = sum / n
	if variance := square/n - mean*mean; variance > 0 && mean > 0 {
		cv = math.Sqrt(variance) / mean
	}
	return mean, cv
}

// Write writes the model as JSON.
func (m *Model) Write(w io.Writer) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", " "); err != nil {
		return err
	}
	_, err = w.Write(append(joinNumbers(out.Bytes()), '\n'))
	return err
}

// joinNumbers brings the elements of lists of numbers onto one line.
func joinNumbers(text []byte) []byte {
	var out []byte
	depth, inner := 0, false // within a list without objects in it
	for i, c := range text {
		switch c {
		case '[':
			depth++
			next := bytes.TrimLeft(text[i+1:], " \n")
			inner = len(next) > 0 && next[0] != '{' && next[0] != '['
		case ']':
			depth--
			out = append(out, c)
			inner = false
			continue
		case ' ', '\n':
			if inner {
				continue
			}
		}
		out = append(out, c)
	}
	return out
}

// keysOf are the keys of a type and of all that stands in it.
func keysOf(of reflect.Type) (keys []string) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	if of.Kind() == reflect.Struct {
		for i := range of.NumField() {
			key, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			keys = append(append(keys, key), keysOf(of.Field(i).Type)...)
		}
	}
	return keys
}

// ReadModel reads what Write wrote, and says what is wrong with it.
func ReadModel(file string, text []byte) (*Model, error) {
	bad := func(format string, args ...any) (*Model, error) {
		return nil, fmt.Errorf("%s: %s", file, fmt.Sprintf(format, args...))
	}
	m := &Model{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(m)
	if _, behind := d.Token(); err == nil && behind != io.EOF {
		return bad("line %d: there is something behind the model", 1+bytes.Count(text[:d.InputOffset()], []byte{'\n'}))
	}
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return bad("line %d is not JSON: %v", 1+bytes.Count(text[:syntax.Offset], []byte{'\n'}), err)
	case err != nil:
		if key, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
			line := 1 + bytes.Count(text[:max(0, bytes.Index(text, []byte(key)))], []byte{'\n'})
			return bad("line %d: unknown key %s%s", line, key, spelling.Meant(strings.Trim(key, `"`), keysOf(reflect.TypeFor[Model]())))
		}
		return bad("it is not a model of a workload: %v", err)
	}
	if key, line := files.Repeated(text); key != "" {
		return bad("line %d: the key %q is given twice", line, key)
	}
	switch {
	case m.Version != 1:
		return bad("slackline_model: version %d is not known, only 1", m.Version)
	case m.Levels != 16 && m.Levels != 8 && m.Levels != 4:
		return bad("levels: %d is not 4, 8 or 16", m.Levels)
	case len(m.Cells) == 0:
		return bad("cells: there is none")
	case m.Burst != nil && !m.Burst.valid():
		return bad("burst: share must lie between 0 and 1, ratio must be 1 or more, mean_seconds 1 or more")
	}
	for h, r := range m.Rates {
		if !(r >= 0 && r < 1e12) {
			return bad("rates[%d]: %v is not a rate", h, r)
		}
	}
	known := -1
	for i, q := range m.Quantities {
		at := quantityIndex(q.Name)
		if at < 0 {
			return bad("quantities[%d].name: there is no quantity %q", i, q.Name)
		}
		if at <= known {
			return bad("quantities[%d].name: %q comes after %q", i, q.Name, quantities[known].name)
		}
		known = at
		if n := len(q.Quantiles); n != 0 && n != len(probabilities) {
			return bad("quantities[%d].quantiles: there are %d, not %d", i, n, len(probabilities))
		}
		for k, x := range q.Quantiles {
			if !(x > 0 && x <= quantities[at].most) || k > 0 && x < q.Quantiles[k-1] {
				return bad("quantities[%d].quantiles[%d]: %v is not above 0, too large, or below the one before", i, k, x)
			}
		}
	}
	total := 0
	for i, c := range m.Cells {
		if c.Jobs < 1 || c.Jobs > math.MaxInt32 || len(c.Levels) != len(m.Quantities) {
			return bad("cells[%d]: it has %d jobs and %d levels, a cell has 1 or more and %d", i, c.Jobs, len(c.Levels), len(m.Quantities))
		}
		total += c.Jobs
		for k, l := range c.Levels {
			if l < -1 || l > m.Levels || l > 0 && len(m.Quantities[k].Quantiles) == 0 {
				return bad("cells[%d].levels[%d]: %d is not a level", i, k, l)
			}
		}
	}
	for stage, cv := range m.Spread {
		if !(cv >= 0 && cv < 100) {
			return bad("spread.%s: %v is not from 0 to 100", stage, cv)
		}
	}
	return m, nil
}

// quantityIndex finds a quantity by name, -1 if there is none.
func quantityIndex(name string) int {
	return slices.IndexFunc(quantities[:], func(q quantity) bool { return q.name == name })
}
