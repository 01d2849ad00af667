package capacity

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/slackline/slackline/internal/maths/bounds"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Bounds is how long a job of a class takes on slots of its own, by what runs taught: package bounds.
type Bounds struct {
	Schema  string       `json:"schema"`
	Class   string       `json:"class"`
	Maps    int          `json:"maps"`
	Reduces int          `json:"reduces"`
	Slots   *BoundsOf    `json:"slots,omitempty"` // what the given slots come to
	Least   []LeastSlots `json:"least,omitempty"` // for a deadline
}

// BoundsOf are times on so many slots. There is no upper bound with less than a slot.
type BoundsOf struct {
	Maps    float64 `json:"map_slots"`
	Reduces float64 `json:"reduce_slots"`
	Low     float64 `json:"completion_low_s"`
	Mean    float64 `json:"completion_mean_s"`
	Up      float64 `json:"completion_up_s"`
	Phases  []Phase `json:"phases"`
}

// Phase is how long the maps or the reduces of a job take, without the first shuffle.
type Phase struct {
	Stage string  `json:"stage"`
	Low   float64 `json:"low_s"`
	Up    float64 `json:"up_s"`
}

// phases are those of a job that has tasks, by a bound of each.
func phases(j bounds.Job, of func(p bounds.Phase, stage int) (low, up float64)) (list []Phase) {
	for s, p := range j.Phases() {
		if p.Tasks > 0 {
			low, up := of(p, s)
			list = append(list, Phase{[]string{"map", "reduce"}[s], low, up})
		}
	}
	return list
}

// A Pair is how long the maps, or the reduces, of one job of each of two classes take that begin together on the
// slots that the plan has for both (propositions 2.2 and 2.3).
type Pair struct {
	Stage string     `json:"stage"`
	First float64    `json:"first_low_s"` // none is done before, where slots are handed over when a job ends
	Last  float64    `json:"last_low_s"`  // not both are done before
	Up    [2]float64 `json:"up_s"`        // each is done by then, where slots are lent as soon as no task waits
}

// pairs are those of two jobs with tasks of a kind, and a slot or more for each.
func pairs(jobs [2]bounds.Job, needs [2]bounds.Need) (list []Pair) {
	a, b := jobs[0].Phases(), jobs[1].Phases()
	for s, name := range []string{"map", "reduce"} {
		x, y := [2]float64{needs[0].Maps, needs[0].Reduces}[s], [2]float64{needs[1].Maps, needs[1].Reduces}[s]
		if a[s].Tasks == 0 || b[s].Tasks == 0 || x < 1 || y < 1 {
			continue
		}
		share, slots := x/(x+y), x+y
		first, last := bounds.TwoLower(a[s], b[s], share, slots)
		list = append(list, Pair{name, first, last, [2]float64{a[s].UpperBeside(b[s], share, slots), b[s].UpperBeside(a[s], 1-share, slots)}})
	}
	return list
}

// LeastSlots are the fewest slots by which a job meets a deadline, none if Limit is not below it.
type LeastSlots struct {
	Bound    string  `json:"bound"`
	Deadline float64 `json:"deadline_s"`
	Limit    float64 `json:"limit_s"`
	Maps     float64 `json:"map_slots"`
	Reduces  float64 `json:"reduce_slots"`
}

// A Question asks for bounds. Tasks of 0 are those that a job of the class had on average; without
// slots, or without a deadline, that part is left out.
type Question struct {
	Maps, Reduces         int
	MapSlots, ReduceSlots int
	Deadline              units.Duration
}

// Bound answers it from what all runs of the class taught, cold or not.
func Bound(c *profile.Class, q Question) (*Bounds, error) {
	all := c.Whole()
	maps, reduces := all.Any(workload.Map), all.Any(workload.Reduce)
	tasks := func(asked int, of *profile.Stage) int {
		if asked > 0 || all.Runs == 0 {
			return asked
		}
		return int(math.Ceil(float64(of.Task.N) / float64(all.Runs)))
	}
	time := func(e profile.Estimate) bounds.Time { return bounds.Time{Mean: e.Mean, Max: e.Max} }
	first, later := reduces.Shuffles()
	j := bounds.Job{
		Maps: tasks(q.Maps, &maps), Reduces: tasks(q.Reduces, &reduces), Map: time(maps.Task),
		First: time(first), Shuffle: time(later), Reduce: time(reduces.Task),
	}
	b := &Bounds{Schema: "slackline/bounds/v1", Class: c.Name, Maps: j.Maps, Reduces: j.Reduces}
	for _, s := range []struct {
		flag, what string
		tasks      int
		known      int64
		slots      int
	}{{"map", "maps", j.Maps, maps.Task.N, q.MapSlots}, {"reduce", "reduces", j.Reduces, reduces.Task.N, q.ReduceSlots}} {
		switch {
		case s.tasks > 0 && s.known == 0:
			return nil, fmt.Errorf("--%s %d: nothing is known of %s of class %q; leave it out", s.what, s.tasks, s.what, c.Name)
		case s.tasks > 0 && s.slots == 0 && q.MapSlots+q.ReduceSlots > 0:
			return nil, fmt.Errorf("--%s-slots is missing: a job of class %q has %d %s; give it a slot or more", s.flag, c.Name, s.tasks, s.what)
		}
	}
	if j.Maps+j.Reduces == 0 {
		return nil, fmt.Errorf("how many tasks a job of class %q has is not known, as none has finished; give --maps and --reduces", c.Name)
	}
	if m, r := float64(q.MapSlots), float64(q.ReduceSlots); m+r > 0 {
		b.Slots = &BoundsOf{m, r, j.Lower().Time(1, m, r), j.Mean().Time(1, m, r), j.Upper().Time(1, m, r),
			phases(j, func(p bounds.Phase, s int) (low, up float64) { // proposition 2.1
				slots := [2]float64{m, r}[s]
				return p.Lower(slots), p.Upper(slots)
			})}
	}
	if q.Deadline > 0 {
		for _, l := range []struct {
			name string
			line bounds.Line
		}{{"mean", j.Mean()}, {"upper", j.Upper()}} {
			d := q.Deadline.Seconds()
			need, _ := l.line.LeastWhole(1, d, bounds.Machine{Maps: 1, Reduces: 1})
			b.Least = append(b.Least, LeastSlots{l.name, d, l.line.Limit(), need.Maps, need.Reduces})
		}
	}
	return b, nil
}

// WriteTable writes them for people.
func (b *Bounds) WriteTable(w io.Writer) error {
	var text strings.Builder
	what := func(maps, reduces float64, kind string) string {
		var list []string
		if b.Maps > 0 {
			list = append(list, counted(maps, "map"+kind))
		}
		if b.Reduces > 0 {
			list = append(list, counted(reduces, "reduce"+kind))
		}
		return strings.Join(list, " and ")
	}
	job := fmt.Sprintf("a job of %s with %s", report.Printable(b.Class), what(float64(b.Maps), float64(b.Reduces), ""))
	if s := b.Slots; s != nil {
		fmt.Fprintf(&text, "%s takes %s to %s on %s of its own, %s in the middle\n",
			job, units.Span(s.Low), units.Span(s.Up), what(s.Maps, s.Reduces, " slot"), units.Span(s.Mean))
		for _, p := range s.Phases {
			fmt.Fprintf(&text, "its %ss alone take %s to %s\n", p.Stage, units.Span(p.Low), units.Span(p.Up))
		}
	}
	for _, l := range b.Least {
		by := map[string]string{"mean": "the mean of both bounds", "upper": "the upper bound"}[l.Bound]
		if l.Limit >= l.Deadline {
			fmt.Fprintf(&text, "by %s it needs %s with any number of slots, for a deadline of %s\n", by, units.Span(l.Limit), units.Span(l.Deadline))
			continue
		}
		fmt.Fprintf(&text, "for a deadline of %s %s needs %s by %s\n", units.Span(l.Deadline), job, what(l.Maps, l.Reduces, " slot"), by)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

func counted(n float64, name string) string {
	if n != 1 {
		name += "s"
	}
	return number(n) + " " + name
}
