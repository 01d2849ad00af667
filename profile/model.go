package profile

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/slackline/slackline/workload"
)

// Part says what of a task, or of a job, a model is about.
type Part uint8

// The parts.
const (
	// an attempt of the stage, from its start to its end, without its shuffle
	Run Part = iota
	// the shuffle of a reduce of the first wave: what is left of it behind the last map
	First
	// the whole shuffle of a reduce that starts behind the last map
	Later
	// of an ApplicationMaster: the time from its start to the first task that it asks for
	StartUp
	// the bytes that the maps of a job emit, of those that they read
	Emitted
	// the joules above idle that an attempt draws, shuffle included
	Energy
)

var parts = []string{"run", "first shuffle", "later shuffle", "start-up", "emitted", "energy"}

// String names the part.
func (p Part) String() string {
	if int(p) < len(parts) {
		return parts[p]
	}
	return "part " + strconv.Itoa(int(p))
}

// MarshalText writes the name of the part.
func (p Part) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads it. A part of a later build keeps its number.
func (p *Part) UnmarshalText(text []byte) error {
	if i := slices.Index(parts, string(text)); i >= 0 {
		*p = Part(i)
		return nil
	}
	if number, is := strings.CutPrefix(string(text), "part "); is {
		n, err := strconv.ParseUint(number, 10, 8)
		*p = Part(n)
		return err
	}
	return fmt.Errorf("there is no part %q; the parts are %s", text, strings.Join(parts, ", "))
}

// Key is what one model is about.
type Key struct {
	Stage     workload.Stage `json:"stage"`
	Node      string         `json:"node"`                // class of nodes; "" is all of them together
	Container string         `json:"container,omitempty"` // kind of container; "" is the stage's only one
	Part      Part           `json:"part"`
}

func (k Key) compare(o Key) int {
	return cmp.Or(cmp.Compare(k.Stage, o.Stage), cmp.Compare(k.Part, o.Part), cmp.Compare(k.Node, o.Node),
		cmp.Compare(k.Container, o.Container))
}

// Model says what a part costs: seconds, bytes if it is Emitted, joules if it is Energy. An amount is
//
//	(Beside + Fixed + PerByte · bytes + PerRecord · records) · shared · own - Beside
//
// where shared is drawn once for all tasks of a job, own once for each of them. Both have the
// median 1. What is read here is fitted to the samples of a class (fit.go) and never changes: who
// learns more makes another model.
type Model struct {
	Key
	Fixed     float64 `json:"fixed"`
	PerByte   float64 `json:"per_byte"`
	PerRecord float64 `json:"per_record,omitempty"`
	// of a shuffle: seconds of its reduce's other work, which vary with it. That it takes milliseconds in one job and
	// seconds in another is a factor of thousands, and yet next to nothing for a reduce of a minute.
	Beside float64 `json:"beside,omitempty"`
	// covariance of the three coefficients: 11, 12, 13, 22, 23, 33
	Covariance [6]float64 `json:"covariance"`
	Shared     Factor     `json:"shared"`
	Own        Factor     `json:"own"`
	// of one task of a job of which nothing is known yet: shared times own
	Total Factor `json:"total"`
	// effective counts of what was learned from, as old jobs fade
	Tasks float64 `json:"tasks"`
	Jobs  float64 `json:"jobs"`
	Jump  *Jump   `json:"jump,omitempty"`
}

// Jump says that the last jobs cost so many times what those before did, of the same sizes.
type Jump struct {
	Jobs  int     `json:"jobs"`
	Ratio float64 `json:"ratio"`
}

// Model returns what is known of a part of a stage on a class of nodes; of all nodes together if
// node is "" or nothing is known of it; nil if nothing is known at all.
func (c *Class) Model(stage workload.Stage, node string, part Part) *Model {
	if c.Shut != nil {
		panic(c.Shut)
	}
	k := Key{Stage: stage, Node: node, Part: part}
	i, found := c.find(k)
	if !found {
		k.Node = ""
		i, _ = c.find(k)
	}
	if i < len(c.Models) && c.Models[i].Stage == stage && c.Models[i].Part == part {
		return c.Models[i]
	}
	return nil
}

// Exact returns the model with a key, nil if there is none.
func (c *Class) Exact(k Key) *Model {
	if i, found := c.find(k); found {
		return c.Models[i]
	}
	return nil
}

// find returns where the model with a key stands, or would stand.
func (c *Class) find(k Key) (int, bool) {
	return slices.BinarySearchFunc(c.Models, k, func(m *Model, k Key) int { return m.Key.compare(k) })
}

// Typical is the median amount for so many bytes and records. Records below 0 are unknown: they are
// taken to be as large as the average of those learned from, whose cost PerByte then holds.
func (m *Model) Typical(bytes, records float64) float64 {
	return m.Fixed + m.PerByte*max(0, bytes) + m.PerRecord*max(0, records)
}

// off is how many times what is typical a task cost.
func (m *Model) off(t *Measure) float64 {
	return max(t[2]+m.Beside, least) / max(m.Typical(t[0], t[1])+m.Beside, least)
}

// Doubt is the standard deviation of the logarithm of Typical and what is beside it: how little is known of it at that
// size, because few jobs taught it, or none of such a size.
func (m *Model) Doubt(bytes, records float64) float64 {
	t := m.Typical(bytes, records) + m.Beside
	if !(t > 0) {
		return 0
	}
	x, y, v := max(0, bytes), max(0, records), &m.Covariance
	variance := v[0] + 2*v[1]*x + 2*v[2]*y + v[3]*x*x + 2*v[4]*x*y + v[5]*y*y
	if d := math.Sqrt(max(0, variance)) / t; d < mostDoubt {
		return d
	}
	return mostDoubt
}

// mostDoubt is more than any size leaves that a file may have; what cannot be computed has it, too.
const mostDoubt = 100

// SharedAt is the factor that the tasks of a job share, widened by Doubt.
func (m *Model) SharedAt(bytes, records float64) Factor {
	return m.Shared.Widen(m.Doubt(bytes, records))
}

// TotalAt is the factor of one task of a job of which nothing is known yet, widened by Doubt.
func (m *Model) TotalAt(bytes, records float64) Factor {
	return m.Total.Widen(m.Doubt(bytes, records))
}

func (m *Model) wrong() (what, why string) {
	for _, c := range []struct {
		name string
		x    float64
	}{{"fixed", m.Fixed}, {"per_byte", m.PerByte}, {"per_record", m.PerRecord},
		{"beside", m.Beside}, {"tasks", m.Tasks}, {"jobs", m.Jobs}, {"covariance", min(m.Covariance[0], m.Covariance[3], m.Covariance[5])}} {
		if c.x < 0 {
			return c.name, "it is negative, which no cost or count can be"
		}
	}
	if m.Jump != nil && !(m.Jump.Jobs > 0 && m.Jump.Ratio > 0) {
		return "jump", "neither its jobs nor its ratio can be 0 or less"
	}
	return "", ""
}
