package referee

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Options say what is known of a run besides its journal.
type Options struct {
	// Plain: the run was simulated without chance in it: no stragglers, no skew, no shared
	// bandwidth, no dear remote reads. So the journal says when each attempt has to end, and which
	// node has to beat when.
	Plain bool
	// Most is how many differences are kept; the others are counted. 0 = 20.
	Most int
}

// A Difference is one thing that should have been otherwise.
type Difference struct {
	Line int    // of the journal
	Want string // what was predicted
	Have string // what the journal has
}

func (d Difference) String() string {
	return fmt.Sprintf("line %d: predicted %s; the journal has %s", d.Line, d.Want, d.Have)
}

// A Report is what came of a journal.
type Report struct {
	Policy      string
	Rounds      int
	Verdicts    int // admissions, holds and rejections compared
	Starts      int // tasks given to nodes, compared
	Ends        int // instants of ends compared
	Beats       int // instants of beats compared
	Others      int // kills, second attempts, limits and all else, compared
	Count       int // of differences
	Differences []Difference
}

// Add counts another report's figures into this one.
func (r *Report) Add(o *Report) {
	r.Rounds += o.Rounds
	r.Verdicts += o.Verdicts
	r.Starts += o.Starts
	r.Ends += o.Ends
	r.Beats += o.Beats
	r.Others += o.Others
	r.Count += o.Count
}

// A judge goes through one journal.
type judge struct {
	*book
	rule   rule
	opt    Options
	report *Report
	line   int // where it is
	// refusals alone have woken the policy, and nothing else since
	redecided bool
	nodesN    int // nodes that the journal ever names, which sets the phases of beats
}

// Judge reads a journal and decides it again.
func Judge(text []byte, opt Options) (*Report, error) {
	r, h, err := open(text)
	if err != nil {
		return nil, err
	}
	rule, order, err := ruleOf(h)
	if err != nil {
		return nil, err
	}
	if opt.Most == 0 {
		opt.Most = 20
	}
	j := &judge{book: newBook(h, order), rule: rule, opt: opt, report: &Report{Policy: h.Policy}, nodesN: countNodes(text)}
	var round []*line
	close := func() error {
		if len(round) == 0 {
			return nil
		}
		err := j.round(round)
		round = round[:0]
		return err
	}
	for {
		l, err := r.next()
		if err != nil {
			return nil, err
		}
		if l == nil || l.word == "round" || l.word == "end" {
			if err := close(); err != nil {
				return nil, err
			}
		}
		if l == nil {
			return j.report, nil
		}
		if l.word == "end" {
			j.line = l.num
			j.over()
			return j.report, nil
		}
		round = append(round, l)
	}
}

// countNodes finds the highest handle of a node that is ever up, or can be had.
func countNodes(text []byte) (most int) {
	for _, m := range named.FindAllSubmatch(text, -1) {
		n, _ := strconv.Atoi(string(m[1]))
		most = max(most, n)
	}
	return most
}

var named = regexp.MustCompile(` event node-(?:up|changed) node=(\d+) `)

// differ notes a difference.
func (j *judge) differ(line int, want, have string) {
	j.report.Count++
	if len(j.report.Differences) < j.opt.Most {
		j.report.Differences = append(j.report.Differences, Difference{line, want, have})
	}
}

// round takes in the events of a round and compares its plan.
func (j *judge) round(lines []*line) error {
	at := lines[0].num64("at")
	j.line = lines[0].num
	j.report.Rounds++
	j.fresh = j.fresh[:0]
	if at > j.now {
		j.gap(at)
	}
	j.now = at
	if j.left { // queues without jobs are forgotten between two rounds
		j.left = false
		j.order.look(j.book)
	}
	i := 1
	wakes, refused := false, false
	for ; i < len(lines) && lines[i].word == "event"; i++ {
		refused = refused || lines[i].name == "refused"
		wakes = wakes || lines[i].name != "refused" && !slices.Contains(confirming, lines[i].name)
	}
	switch { // of refusals alone it is told once, until something else wakes it
	case wakes:
		j.redecided = false
	case refused && !j.redecided:
		wakes, j.redecided = true, true
	}
	events := lines[1:i]
	for _, l := range events {
		j.line = l.num
		if err := j.event(l); err != nil {
			return fmt.Errorf("line %d: %w", j.line, err)
		}
	}
	plan, items := lines[0], lines[i:] // where there is no plan, nothing was wanted
	if i == len(lines) && !wakes {
		return nil
	}
	if i < len(lines) {
		plan, items = lines[i], lines[i+1:]
	}
	if !wakes {
		j.differ(plan.num, "that the policy is not asked, as all events only confirm", "a plan")
	}
	j.count()
	j.told = map[int]*line{}
	for _, l := range items {
		if l.name == "admit" || l.name == "reject" || l.name == "hold" {
			j.told[l.int("job")] = l
		}
	}
	p := &wants{book: j.book}
	for _, part := range j.rule {
		if w, ok := part.(witness); ok {
			w.witness(items)
		}
	}
	j.rule.decide(j.book, events, p)
	p.undo()
	j.compare(plan, items, p.acts)
	for _, l := range items {
		if err := j.enter(l); err != nil {
			return fmt.Errorf("line %d: %w", l.num, err)
		}
	}
	return nil
}

// confirming are the events that do not wake a policy by themselves.
var confirming = []string{"granted", "started", "progress", "discrepancy"}

// compare holds what was predicted to the items of a plan, in their order.
func (j *judge) compare(plan *line, items []*line, want []act) {
	var have []act
	var from []int
	for _, l := range items {
		for _, a := range actsOf(l) {
			have = append(have, a)
			from = append(from, l.num)
			switch a.verb {
			case "admit", "hold", "reject":
				j.report.Verdicts++
			case "start":
				j.report.Starts++
			default:
				j.report.Others++
			}
		}
	}
	for i := range max(len(have), len(want)) {
		switch {
		case i >= len(want):
			j.differ(from[i], "nothing more in this plan", have[i].say(true))
		case i >= len(have):
			j.differ(plan.num, want[i].say(true), "nothing more in this plan")
		case !want[i].like(&have[i]):
			j.differ(from[i], want[i].say(true), have[i].say(want[i].why != ""))
		default:
			continue
		}
		return
	}
}

// An act is one thing that is wanted. A start is one act for each of its tasks.
type act struct {
	verb string
	what string // all that has to agree
	why  string // the reason with its numbers, "" = not predicted
}

func (a *act) like(have *act) bool {
	return a.verb == have.verb && a.what == have.what && (a.why == "" || a.why == have.why || strings.HasPrefix(have.why, a.why+","))
}

func (a *act) say(why bool) string {
	s := a.verb
	if a.what != "" {
		s += " " + a.what
	}
	if why && a.why != "" {
		s += " because " + a.why
	}
	return s
}

// actsOf reads an item.
func actsOf(l *line) []act {
	a := act{verb: l.name, why: l.get("reason")}
	if r := l.get("because-job"); r != "" {
		a.why += " job " + r
	}
	refused := ""
	if r := l.get("refused"); r != "" {
		refused = " refused=" + r
	}
	switch l.name {
	case "foretell", "wake-me", "rank":
		return nil
	case "start":
		bounds := boundsOf(l)
		if len(bounds) == 0 {
			a.what = fmt.Sprintf("job=%s stage=%s node=%s%s", l.get("job"), l.get("stage"), l.get("node"), refused)
			return []act{a}
		}
		acts := make([]act, len(bounds))
		for i, x := range bounds {
			acts[i] = act{"start", x.String(), a.why}
		}
		return acts
	}
	for _, f := range l.fields {
		if l.name == "kill" && f.key != "job" && f.key != "stage" && f.key != "outcome" && f.key != "attempts" {
			continue
		}
		switch f.key {
		case "id", "reason", "because-job", "evidence", "refused", "word", "measured", "confidence", "by", "half", "ninety", "chance":
		default:
			a.what += " " + f.key + "=" + f.value
		}
	}
	a.what += toldOf(l)
	a.what = strings.TrimPrefix(a.what, " ") + refused
	return []act{a}
}

// toldOf is what an item tells a job of its finish; of an offer not whether an earlier one might do.
func toldOf(l *line) (told string) {
	for _, f := range l.fields {
		switch f.key {
		case "word", "measured", "confidence", "by", "half", "ninety", "chance":
			if f.key != "word" || l.name != "reject" {
				told += " " + f.key + "=" + f.value
			}
		}
	}
	return told
}

// boundsOf reads the tasks of a start.
func boundsOf(l *line) (list []bound) {
	text := l.get("tasks")
	if text == "" {
		return nil
	}
	for _, t := range strings.Split(text, ",") {
		number, near, _ := strings.Cut(t, ":")
		n, _ := strconv.Atoi(number)
		list = append(list, bound{l.int("job"), max(stageOf(l.get("stage")), master), n, l.int("node"), slices.Index(localityNames[:], near)})
	}
	return list
}

// event takes in one event.
func (j *judge) event(l *line) error {
	job := j.jobs[l.int("job")]
	st := -1
	if name := l.get("stage"); name != "" {
		st = stageOf(name)
	} else if l.name == "started" || l.name == "stage-ready" || l.name == "output-lost" {
		st = master
	}
	has := job != nil && st >= 0 && job.stage[st] != nil
	switch l.name {
	case "node-up":
		var d struct{ Node *node }
		if err := json.Unmarshal(l.detail, &d); err != nil || d.Node == nil {
			return fmt.Errorf("its node cannot be read: %v", err)
		}
		n := d.Node
		n.id, n.up, n.factor, n.free, n.since, n.beaten = l.int("node"), true, 1, d.Node.Class.Capacity, j.now-l.num64("age"), -1
		if err := n.stand(l.get("power"), j.now-l.num64("age")); err != nil {
			return err
		}
		first := j.node(n.id) == nil
		j.nodes[n.id] = n
		j.dirty = true
		j.pace(n)
		for _, o := range j.live {
			for i := range o.Stages {
				if first { // its rack is known from now on
					j.places(&o.Stages[i])
				}
			}
		}
	case "node-down":
		if n := j.node(l.int("node")); n != nil {
			n.up = false
			j.dirty = true
		}
	case "node-changed":
		if state := l.get("power"); j.node(l.int("node")) == nil && (state == "offered" || state == "waking") && len(l.detail) > 0 {
			var d struct{ Node *node }
			if err := json.Unmarshal(l.detail, &d); err != nil || d.Node == nil {
				return fmt.Errorf("its node cannot be read: %v", err)
			}
			d.Node.id, d.Node.factor, d.Node.beaten = l.int("node"), 1, -1
			j.nodes[d.Node.id] = d.Node
			j.pace(d.Node)
		}
		if n := j.node(l.int("node")); n != nil {
			j.change(n, l)
			if err := n.stand(l.get("power"), j.now-l.num64("age")); err != nil {
				return err
			}
		}
	case "profile-learned":
		var d struct{ Profile *profile }
		if err := json.Unmarshal(l.detail, &d); err != nil || d.Profile == nil {
			return fmt.Errorf("its profile cannot be read: %v", err)
		}
		j.profiles[d.Profile.Name] = d.Profile
	case "started":
		if !has {
			return fmt.Errorf("a task starts of which nothing is known")
		}
		now := j.now
		j.now -= l.num64("age")
		j.starts(l, job, st)
		j.now = now
	case "progress":
		if a := j.attempts[l.int("attempt")]; a != nil {
			a.progress = l.float("x")
		}
	case "ended":
		if a := j.attempts[l.int("attempt")]; a != nil {
			now := j.now
			j.now -= l.num64("age")
			j.ends(a, l.get("outcome"))
			j.fresh = append(j.fresh, a)
			j.gap(now) // from the end until it was told
			j.now = now
		}
	case "output-lost":
		if has {
			s := job.stage[st]
			if t := l.int("task"); s.Tasks[t-1].state == taskDone {
				s.done--
				s.lost = true
				if s.Tasks[t-1].tries > 0 {
					s.Tasks[t-1].state = taskTaken
				} else {
					s.reopen(t)
				}
			}
		}
	case "job-ended":
		if job != nil {
			job.committed = l.get("outcome") == "committed"
			j.leaves(job)
		}
	case "job-arrived":
		d, err := describe(l.detail)
		if err != nil {
			return err
		}
		now := j.now
		j.now -= l.num64("age")
		j.arrive(l.int("job"), d)
		j.now = now
	case "job-amended":
		d, err := describe(l.detail)
		if err != nil {
			return err
		}
		if job != nil {
			j.amend(job, d)
		}
	case "job-cancelled":
		if job != nil {
			job.cancelled, j.dirty = true, true
		}
	case "stage-ready":
		if has {
			j.ready(job, st)
		}
	case "refused":
		if job != nil {
			for i := range job.Stages {
				if st := &job.Stages[i]; st.asked != 0 && st.asked == l.int("item") {
					st.cutting, st.asked, j.dirty = false, 0, true
				}
			}
		}
		j.refuse(l.int("item"), l.int("count"))
		if n := j.node(l.int("node")); n != nil && n.asked != 0 && n.asked == l.int("item") {
			n.declines()
			n.asked = 0
		}
	case "heartbeat":
		j.beat(l.int("node"))
	case "granted", "tick", "discrepancy":
	case "supply-changed": // no policy that is played reads it
	case "forecast-issued":
		var d struct{ Forecast *expected }
		if err := json.Unmarshal(l.detail, &d); err != nil || d.Forecast == nil {
			return fmt.Errorf("its forecast cannot be read: %v", err)
		}
		j.expects[l.get("of")] = d.Forecast
	default:
		return fmt.Errorf("the referee does not know events of the kind %q", l.name)
	}
	return nil
}

// enter books an item of the journal.
func (j *judge) enter(l *line) error {
	if l.word != "item" || l.get("refused") != "" || slices.Contains(l.flags, "held") {
		return nil
	}
	job := j.jobs[l.int("job")]
	var s *stage
	if job != nil {
		if name := l.get("stage"); name != "" {
			s = job.stage[stageOf(name)]
		} else {
			s = job.stage[master]
		}
	}
	j.dirty = true
	switch l.name {
	case "admit", "hold", "reject":
		j.decide(job, map[string]int{"admit": admitted, "hold": held, "reject": rejected}[l.name])
	case "sample":
		s.sample = l.int("count")
	case "withhold":
		s.withheld = true
	case "release":
		s.withheld = false
	case "set-tasks":
		if job != nil && s != nil {
			s.cutting, s.asked = true, l.int("id")
		}
	case "set-slots":
		s.limit = l.int("count")
	case "start", "speculate":
		for _, x := range boundsOf(l) {
			if s == nil || x.task < 1 || x.task > len(s.Tasks) || j.node(x.node) == nil {
				return fmt.Errorf("it starts a task, or on a node, of which nothing is known")
			}
			j.take(x)
			j.items[l.int("id")] = append(j.items[l.int("id")], x)
		}
	case "kill":
		for _, a := range strings.Split(l.get("attempts"), ",") {
			n, _ := strconv.Atoi(a)
			if v := j.attempts[n]; v != nil {
				v.dying = true
			}
		}
	case "sleep", "wake":
		n := j.node(l.int("node"))
		if n == nil {
			return fmt.Errorf("nothing is known of node %d", l.int("node"))
		}
		n.asks(l.name, j.now)
		n.asked = l.int("id")
	case "set-deadline":
		job.virtual = l.num64("at")
	case "foretell", "wake-me", "rank":
	default:
		return fmt.Errorf("the referee does not know items of the kind %q", l.name)
	}
	return nil
}

// decide puts a job where a verdict wants it, which ends any sample of it.
func (b *book) decide(j *job, state int) {
	j.state = state
	for i := range j.Stages {
		j.Stages[i].sample = -1
	}
	b.dirty = true
}

// ready says that tasks of a stage may start.
func (b *book) ready(j *job, s int) {
	j.stage[s].ready = true
	b.dirty = true
}
