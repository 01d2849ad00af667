package page

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// data is the data block. Times are in ticks of Unit nanoseconds since the start of the run, rounded down.
type data struct {
	Unit    int64     `json:"unit"`
	Runs    []runData `json:"runs"`
	Omitted int       `json:"omitted"` // runs for which there was no room
	// tables that compare policies, and those that do so point by point; none where there is one seed
	Compared []table  `json:"compared,omitempty"`
	Each     []table  `json:"each,omitempty"`
	Sets     []jobSet `json:"sets"`
}

// table is a heading and rows, as reports have them.
type table struct {
	Title string     `json:"title"`
	Rows  [][]string `json:"rows"`
}

// mostTables is how many tables of a comparison are shown.
const mostTables = 60

func tableOf(g *report.Grid) table {
	return table{clip(g.Title), each.Of(g.Rows(), func(row []string) []string { return each.Of(row, clip) })}
}

// comparedOf are the tables that compare policies.
func comparedOf(r *report.Report) (first, rest []table) {
	all, more := r.Compared()
	return each.Of(all[:min(len(all), mostTables)], tableOf), each.Of(more[:min(len(more), mostTables)], tableOf)
}

// jobSet is what runs of the same jobs share.
type jobSet struct {
	Total     int      `json:"total"` // jobs that arrived
	Index     *column  `json:"index"` // which of them are listed: differences; null = all
	IDs       []string `json:"ids"`
	Names     []string `json:"classes"`
	Class     column   `json:"class"` // in Names
	Maps      column   `json:"maps"`
	Reduces   column   `json:"reduces"`
	Submitted column   `json:"submitted"` // signed differences
}

type runData struct {
	World    string                 `json:"world"`
	Scenario string                 `json:"scenario"`
	Group    int                    `json:"group"` // runs of a group are the same but for the policy
	Policy   string                 `json:"policy"`
	Seed     string                 `json:"seed"` // a number too large for JavaScript's
	Summary  report.Summary         `json:"summary"`
	Stuck    string                 `json:"stuck,omitempty"`     // why it did not come to its end
	Told     []string               `json:"told,omitempty"`      // what was left out and filled in
	Promises []report.DeadlineClass `json:"promises,omitempty"`  // deadlines by class, where there are classes
	Kept     [][]string             `json:"kept,omitempty"`      // a table of what was promised and kept
	Clouds   [][2]string            `json:"clouds,omitempty"`    // what was asked of clouds, and what it cost
	Flows    []table                `json:"workflows,omitempty"` // when their jobs ran
	End      int64                  `json:"end"`
	Set      int                    `json:"set"`
	// of each listed job: outcome, in the order of report.Outcomes, and 16 if it was admitted
	Flags    column            `json:"flags"`
	Started  column            `json:"started"`  // since submission; maybe
	Finished column            `json:"finished"` // since submission; maybe
	Deadline column            `json:"deadline"` // since submission; maybe
	Reasons  map[string]string `json:"reasons"`  // by position in the list: why a job was refused or failed
	Receipts map[string]string `json:"receipts"` // likewise: what energy it took
	// by the same: where the time of some jobs went
	Accounts  map[string]*story `json:"accounts,omitempty"`
	Stated    *column           `json:"stated,omitempty"`
	Response  *curve            `json:"response"`
	Tardiness *curve            `json:"tardiness"`
	Gantt     *ganttData        `json:"gantt"`
	Marks     *markData         `json:"marks,omitempty"`
	Series    *seriesData       `json:"series"`
}

// ganttData has the rows, and for each its bars one after the other.
type ganttData struct {
	Level  string   `json:"level"`
	Nodes  []string `json:"nodes"`
	Node   column   `json:"node"` // of each row, in Nodes; by rack: the number of the rack; else 0
	Kind   column   `json:"kind"`
	Slot   column   `json:"slot"`
	Slots  column   `json:"slots"` // how many slots the row stands for
	Bars   column   `json:"bars"`  // of each row
	Gap    column   `json:"gap"`   // from the bar before in the row, or from 0
	Length column   `json:"length"`
	Flags  column   `json:"flags"` // outcome + 8 if merged + 16 × stage
	Job    column   `json:"job"`   // signed differences of the number in order of arrival
	Task   column   `json:"task"`  // of bars that are not merged: signed differences
	Count  column   `json:"count"` // these four of merged bars: attempts
	Busy   column   `json:"busy"`
	Wasted column   `json:"wasted"` // share of busy, in 255ths
	Most   column   `json:"most"`   // share of busy that the job took at least, in 255ths
}

var levelNames = [...]string{bySlot: "slot", byNode: "node", byRack: "rack", byKind: "cluster"}

// promisesOf are the deadlines by class, those of classes that are too many for a table as one.
func promisesOf(run *report.Run) []report.DeadlineClass {
	const most = 20
	var list []report.DeadlineClass
	for i, p := range run.Classes {
		if i > most {
			last := &list[most]
			last.Class = "others"
			last.Deadlines, last.InTime = last.Deadlines+p.Deadlines, last.InTime+p.InTime
			continue
		}
		p.Class = clip(p.Class)
		list = append(list, p)
	}
	return list
}

// toldOf says what was left out and filled in.
func toldOf(run *report.Run) []string {
	lines := run.Notes
	if run.Trace != nil {
		lines = append(run.Trace.Lines(), lines...)
	}
	return each.Of(lines, func(line string) string { return clipAt(line, 300) })
}

// mostAsked is how many requests a page has of a run.
const mostAsked = 200

// cloudsOf says what rented nodes cost, class by class, and then each request with its reason.
func cloudsOf(run *report.Run) (rows [][2]string) {
	for _, r := range run.Bill {
		if r.Rented > 0 {
			rows = append(rows, [2]string{r.Class, fmt.Sprintf("rented %s, at most %d at once: %.2f node-hours, %.2f charged, cost %.2f",
				units.Count(r.Rented, "time"), r.Most, r.Hours, r.Charged, r.Cost)})
		}
	}
	for i := range run.Requests[:min(mostAsked, len(run.Requests))] {
		q := &run.Requests[i]
		rows = append(rows, [2]string{units.Span(q.At), clipAt(q.String(), 1000)})
	}
	if more := len(run.Requests) - mostAsked; more > 0 {
		rows = append(rows, [2]string{"", units.Count(more, "more request")})
	}
	return rows
}

// keptOf are the rows of what was promised and kept.
func keptOf(run *report.Run) [][]string {
	t := report.PromisesKept("", []*report.Run{run})
	if t == nil {
		return nil
	}
	return each.Of(t.Rows(), func(row []string) []string { return each.Of(row, clip) })
}

// clip shortens a text that comes from a file.
func clip(text string) string { return clipAt(text, 120) }

// clipAt shortens a text to so many characters.
func clipAt(text string, most int) string {
	if len(text) <= most {
		return text
	}
	r := []rune(text)
	if len(r) <= most {
		return text
	}
	return string(r[:most-1]) + "…"
}

// newData joins reports and what was collected. Each run lists at most so many jobs.
func newData(runs []*report.Run, collected []*collector, jobs int) *data {
	d := &data{Unit: 1, Runs: []runData{}, Sets: []jobSet{}}
	end := units.Time(0)
	for i, run := range runs {
		end = max(end, ticksOf(run.Summary.Makespan))
		if i < len(collected) {
			end = max(end, collected[i].last)
		}
	}
	for int64(end)/d.Unit >= 1e8 {
		d.Unit *= 10
	}
	sets := map[string]int{}
	groups := map[group]int{}
	kept := keep(runs, jobs)
	for i, run := range runs {
		r := d.run(run, kept[i], sets)
		g, there := groups[groupOf(run)]
		if !there {
			g = len(groups)
			groups[groupOf(run)] = g
		}
		r.Group = g
		if i < len(collected) {
			c := collected[i]
			r.End = max(r.End, d.ticks(c.last))
			r.Series = d.series(c.series, &c.groups, c.says)
			if c.gantt != nil {
				r.Gantt, r.Marks = d.gantt(c), d.marks(c)
			}
			d.stories(&r, run, kept[i], c.books, min(jobs, allStories/len(runs)))
		}
		d.Runs = append(d.Runs, r)
	}
	return d
}

// group is what runs have in common that are the same but for the policy.
type group struct {
	name string
	seed uint64
}

func groupOf(run *report.Run) group { return group{run.Name(), run.Seed} }

func ticksOf(seconds float64) units.Time {
	return units.Time(min(math.Round(seconds*1e9), math.MaxInt64/2))
}

func (d *data) ticks(t units.Time) int64 { return int64(t) / d.Unit }

func (d *data) run(run *report.Run, kept []int, sets map[string]int) runData {
	r := runData{World: run.World, Scenario: clip(run.Name()), Policy: clip(run.Policy), Seed: strconv.FormatUint(run.Seed, 10),
		Summary: run.Summary, Stuck: clipAt(run.Stuck, 1000), Promises: promisesOf(run), Kept: keptOf(run), Clouds: cloudsOf(run),
		End: d.ticks(ticksOf(run.Summary.Makespan)), Set: d.set(run, kept, sets), Reasons: map[string]string{}, Receipts: map[string]string{}}
	r.Told, r.Flows = toldOf(run), each.Of(run.Plans(), tableOf)
	position := 0
	listed(run, kept, func(j *report.Job) {
		flags := max(0, slices.Index(report.Outcomes, j.Outcome))
		if j.Admitted {
			flags |= 16
		}
		r.Flags.count(int64(flags))
		submitted := d.ticks(ticksOf(j.Submitted))
		for _, c := range []struct {
			to *column
			at *float64
		}{{&r.Started, j.Started}, {&r.Finished, j.Finished}, {&r.Deadline, j.Deadline}} {
			if c.at == nil {
				c.to.maybe(0, false)
			} else {
				c.to.maybe(d.ticks(ticksOf(*c.at))-submitted, true)
			}
		}
		if why := cmp.Or(j.Reason, j.Advice, whyOf(j)); why != "" && len(r.Reasons) < 500 {
			r.Reasons[strconv.Itoa(position)] = clipAt(why, 400)
		}
		if took := j.Receipt(); took != "" && len(r.Receipts) < 500 {
			r.Receipts[strconv.Itoa(position)] = took
		}
		r.Stated = d.stated(r.Stated, j, int64(position))
		position++
	})
	response, tardiness := samples(run)
	r.Response, r.Tardiness = newCurve(response), newCurve(tardiness)
	return r
}

// whyOf says why a job was late, and what it was told.
func whyOf(j *report.Job) string {
	why := outlookOf(j)
	if j.Why != "" && !j.Outcome.InTime() && why != "" {
		return j.Why + "; " + why
	}
	return cmp.Or(why, j.Why)
}

// outlookOf says when a job with a promise was expected to be done, and each time that this moved.
func outlookOf(j *report.Job) string {
	var parts []string
	for _, o := range j.Outlooks {
		if o.Why != "" {
			parts = append(parts, fmt.Sprintf("at %s: %s", units.Span(o.At), o.Why))
			continue
		}
		parts = append(parts, "promised, done: "+o.DoneBy(units.Span))
	}
	return strings.Join(parts, "; ")
}

func listed(run *report.Run, kept []int, do func(*report.Job)) {
	if kept == nil {
		for i := range run.Jobs {
			do(&run.Jobs[i])
		}
	}
	for _, i := range kept {
		do(&run.Jobs[i])
	}
}

// set returns the number of the set of the run's jobs, a new one if no run before has the same.
func (d *data) set(run *report.Run, kept []int, sets map[string]int) int {
	s := jobSet{Total: len(run.Jobs), IDs: []string{}, Names: []string{}}
	classes := map[string]int{}
	last := int64(0)
	listed(run, kept, func(j *report.Job) {
		s.IDs = append(s.IDs, clip(j.ID))
		class, there := classes[j.Class]
		if !there {
			class = len(s.Names)
			classes[j.Class] = class
			s.Names = append(s.Names, clip(j.Class))
		}
		s.Class.count(int64(class))
		s.Maps.count(int64(j.Maps))
		s.Reduces.count(int64(j.Reduces))
		submitted := d.ticks(ticksOf(j.Submitted))
		s.Submitted.signed(submitted - last)
		last = submitted
	})
	if kept != nil {
		s.Index = new(column)
		before := 0
		for _, i := range kept {
			s.Index.count(int64(i - before))
			before = i
		}
	}
	// Texts with lengths before them: no two sets write the same.
	key, err := json.Marshal(s)
	if err != nil {
		panic("page: " + err.Error()) // strings and numbers always can be written
	}
	if i, there := sets[string(key)]; there {
		return i
	}
	sets[string(key)] = len(d.Sets)
	d.Sets = append(d.Sets, s)
	return len(d.Sets) - 1
}

func (d *data) gantt(c *collector) *ganttData {
	g := &ganttData{Level: levelNames[c.gantt.level], Nodes: []string{}}
	type line struct {
		rowInfo
		bars []bar
	}
	var lines []line
	c.gantt.rows(func(r rowInfo, bars []bar) { lines = append(lines, line{r, bars}) })
	slices.SortFunc(lines, func(a, b line) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.rack, b.rack), cmp.Compare(a.node, b.node), cmp.Compare(a.slot, b.slot))
	})
	nodes := map[sched.NodeID]int64{}
	job, task := int64(0), int64(0)
	for _, l := range lines {
		switch c.gantt.level {
		case bySlot, byNode:
			i, there := nodes[l.node]
			if !there {
				i = int64(len(g.Nodes))
				nodes[l.node] = i
				g.Nodes = append(g.Nodes, clip(c.nodes[l.node].name))
			}
			g.Node.count(i)
		case byRack:
			g.Node.count(int64(l.rack))
		default:
			g.Node.count(0)
		}
		g.Kind.count(int64(l.kind))
		g.Slot.count(int64(l.slot))
		g.Slots.count(int64(l.slots))
		g.Bars.count(int64(len(l.bars)))
		at := int64(0)
		for i := range l.bars {
			d.bar(g, &l.bars[i], &at, &job, &task)
		}
	}
	return g
}

// bar writes one bar.
func (d *data) bar(g *ganttData, b *bar, at, job, task *int64) {
	begin, end := d.ticks(b.begin), d.ticks(b.end)
	g.Gap.count(begin - *at)
	g.Length.count(end - begin)
	*at = end
	merged := b.n != 1 || b.busy != b.end.Sub(b.begin)
	flags := int64(b.outcome) + 16*int64(b.stage)
	if merged {
		flags |= 8
	}
	g.Flags.count(flags)
	top, weight := b.mix.top()
	g.Job.signed(int64(top) - *job)
	*job = int64(top)
	if !merged {
		g.Task.signed(int64(b.task) - *task)
		*task = int64(b.task)
		return
	}
	g.Count.count(int64(b.n))
	g.Busy.count(int64(b.busy) / d.Unit)
	g.Wasted.count(part255(int64(b.wasted), b.busy))
	g.Most.count(part255(weight, b.busy))
}

func part255(x int64, of units.Duration) int64 {
	if of <= 0 {
		return 0
	}
	return int64(math.Floor(255 * float64(x) / float64(of)))
}
