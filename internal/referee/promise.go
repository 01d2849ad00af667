package referee

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// stated is the policy promise: every job is let in and told when it will be done, some of them with a promise, and
// nobody is killed. The numbers of what jobs are told are taken from the journal, and held to what has to follow:
//
//   - First stand the jobs that can be in time, by deadline and arrival, then those that cannot, in an order that the
//     journal does not tell; last those without a deadline, by arrival. Who comes is one that can; the items rank say who
//     is none any more, or again. Who was promised to be stands behind the last that was then.
//   - A promise is told of a deadline by which the job will be done with the confidence that the job asks for, or its
//     queue, or the policy; whoever is not in time has none. Without one a job is told why, and with refused=reject
//     it is rejected when it comes, with an offer behind its deadline, unless an earlier run began it or nothing is
//     known of its class; but of a class no more than four in a row. Who takes less is promised with that, or with 99, 97, 95, 90, 80, 70 or 60 % above that and below
//     what was asked for; that none of these would do which is higher is believed. So it is that a promise would break
//     another one.
//   - Half of all such jobs are done before nine of ten, and these before the instant of a confidence above that.
//     The probability of the deadline lies where these instants have it: times are whole milliseconds.
//   - Nothing is told of when a job will be done only where that cannot be said: a stage has no slots, or the job waits
//     for another.
//   - Who has another deadline is told again.
//   - A job that others wait for may be due sooner than it says itself, if one of these is.
//   - Tasks that take long leave one slot in twenty: whose do is believed.
//   - What was told is told again of jobs that run or wait, with the same word and confidence, and only if an instant
//     has moved by more than a second and a tenth of the time that was left, or by more than a second if it has passed.
//
// Reduces wait as lateStart has it, and masters as under all.
type stated struct {
	flat
	room   *all
	queues *describedQueues
	most   int64 // the risk that a promise leaves, in millionths, unless the job or its queue says
	reject bool
	// nodes that sleep are woken in time
	sleepers bool

	outside map[*job]int64 // they cannot be in time: never, or, as they were promised to be, as if due then
	heard   map[*job]int64 // of which deadline
	refused map[string]int // of a class, in a row
	spared  map[*job]bool  // the next of these, which is let in
	news    map[*job]bool  // they were heard of in this round
	rented  bool           // a node of a cloud has come in this round, or is on its way
	said    map[*job]*said // what was told last

	items  []*line
	plan   *wants
	starts []int // jobs of the starts of a plan, in their order
}

// said is what a job was told.
type said struct {
	text             string
	at               int64
	half, ninety, by int64
	word             string
}

func statedOf(m *made, a *asked) *stated {
	return &stated{room: allOf(m, a).(*all), queues: m.queues, most: riskOf(a.with["level"], 10_000), reject: a.with["refused"] == "reject",
		outside: map[*job]int64{}, heard: map[*job]int64{}, refused: map[string]int{}, spared: map[*job]bool{}, said: map[*job]*said{}}
}

// riskOf is the risk that a confidence leaves which is written as 99%, in millionths.
func riskOf(text string, usual int64) int64 {
	part, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil {
		return usual
	}
	return int64(math.Round((100 - part) * 1e4))
}

// reasonOf reads a reason: its name, and its numbers.
func reasonOf(l *line) (name string, n [3]int64) {
	name, in, _ := strings.Cut(l.get("reason"), ":")
	for i, s := range strings.SplitN(in, ",", 3) {
		n[i], _ = strconv.ParseInt(s, 10, 64)
	}
	return name, n
}

// place is the group in which a job stands.
func (o *stated) place(j *job) int {
	switch {
	case j.due() == never:
		return 2
	case o.outside[j] == never:
		return 1
	}
	return 0
}

func (o *stated) compare(x *job, _ int, y *job, _ int) int {
	a, b := o.place(x), o.place(y)
	if a != b || a == 2 {
		return cmp.Compare(a, b)
	}
	if a == 0 {
		return cmp.Compare(cmp.Or(o.outside[x], x.due()), cmp.Or(o.outside[y], y.due()))
	}
	next := o.next()
	switch {
	case x.id == next:
		return -1
	case y.id == next:
		return 1
	}
	return 0
}

// next is the job whose task the journal starts next.
func (o *stated) next() int {
	n := 0
	for i := range o.plan.acts {
		if o.plan.acts[i].verb == "start" {
			n++
		}
	}
	if n < len(o.starts) {
		return o.starts[n]
	}
	return 0
}

// shares says that a start may change who is next.
func (*stated) shares() bool { return true }

// line ranks jobs that wait to be let in by their deadlines.
func (*stated) line(x, y *job) int { return cmp.Compare(x.due(), y.due()) }

// witness takes in what the journal says of places, and of which starts.
func (o *stated) witness(items []*line) {
	o.items, o.starts = items, o.starts[:0]
	for _, l := range items {
		if l.name == "start" {
			for range max(1, len(boundsOf(l))) {
				o.starts = append(o.starts, l.int("job"))
			}
		}
	}
}

func (o *stated) decide(b *book, events []*line, p *wants) {
	o.plan = p
	for j := range o.heard {
		if j.state == finished {
			o.forget(j)
		}
	}
	amended := o.amended(b, events)
	o.rented = slices.ContainsFunc(events, func(e *line) bool {
		if e.name != "node-up" && (e.name != "node-changed" || e.get("power") != "waking") {
			return false
		}
		n := b.nodes[e.int("node")]
		return n != nil && n.rented()
	})
	for _, l := range o.items {
		switch l.name {
		case "rank":
			o.rank(b, l)
		case "set-deadline":
			if j := b.jobs[l.int("job")]; j != nil {
				p.rankBy(j, l.num64("at"), l.get("reason"))
				if j.due() == never {
					delete(o.outside, j)
				}
			}
		}
	}
	for j := range o.outside {
		if j.due() == never { // it stands behind all
			delete(o.outside, j)
		}
	}
	for _, l := range o.items {
		if l.name == "set-deadline" && !o.dated(b, l) {
			p.want("set-deadline", fmt.Sprintf("job=%d: a deadline that those who wait for it leave", l.int("job")), "")
		}
	}
	b.dirty = true
	p.says = func(j *job, why string) (string, string) { return o.verdict(b, j, why) }
	for _, e := range events {
		j := b.jobs[e.int("job")]
		if j == nil || e.name != "job-arrived" && !(e.name == "job-amended" && amended[j]) {
			continue
		}
		switch l := b.told[j.id]; {
		case j.state == admitted && amended[j]:
			p.verdict("admit", j, admitted, "", "")
		case l != nil && l.name == "reject" && j.state < rejected:
			p.verdict("reject", j, rejected, toldOf(l), o.refusal(b, j, l))
			if name, _ := reasonOf(l); name != "orphan" {
				o.refused[j.Class]++
			}
			o.forget(j)
		default:
			o.spared[j], o.refused[j.Class] = o.refused[j.Class] >= 4, 0
		}
	}
	o.room.decide(b, events, p)
	p.says = nil
	for _, l := range o.items {
		if j := b.jobs[l.int("job")]; l.name == "set-slots" && j != nil {
			o.bound(b, j, l)
		}
		if l.name == "foretell" {
			if wrong := o.foretold(b, l); wrong != "" {
				p.want("foretell", fmt.Sprintf("job=%d %s", l.int("job"), wrong), "")
			}
		}
	}
}

func (o *stated) forget(j *job) {
	delete(o.said, j)
	delete(o.outside, j)
	delete(o.heard, j)
}

// amended are the jobs that have another deadline, of which they have been told nothing: they can be in time, and are
// ranked so.
func (o *stated) amended(b *book, events []*line) map[*job]bool {
	list := map[*job]bool{}
	o.news = map[*job]bool{}
	for _, e := range events {
		j := b.jobs[e.int("job")]
		if j == nil || e.name != "job-amended" && e.name != "job-arrived" {
			continue
		}
		was, told := o.heard[j]
		if told && was == j.stated() {
			continue
		}
		if told {
			list[j] = true
			delete(o.said, j)
			if was == never && (j.virtual == 0 || j.virtual == never) {
				o.outside[j] = never
			} else if j.due() == never {
				delete(o.outside, j)
			}
		}
		o.heard[j], o.news[j] = j.stated(), !told
	}
	return list
}

// stated is the deadline that orders read of a job of which no other says anything.
func (j *job) stated() int64 {
	if j.Virtual != 0 {
		return j.Virtual
	}
	return j.Deadline
}

// dated tells whether a job may be due then for others: at the virtual deadline of one that waits for it, which may be
// off by a tenth of the time left to it, or sooner.
func (o *stated) dated(b *book, l *line) bool {
	j, at := b.jobs[l.int("job")], l.num64("at")
	leaves := func(k *job) bool {
		return k.state <= admitted && k.due() != never && slices.Contains(k.After, j.Name) && at <= k.due()+max(1e9, (k.due()-b.now)/10)
	}
	name, n := reasonOf(l)
	if j == nil || name != "behind-it" {
		return false
	}
	return n[0] == j.Virtual && at == j.Virtual || n[0] == at && at < j.stated() && slices.ContainsFunc(b.live, leaves)
}

// rank takes in where a job stands from now on.
func (o *stated) rank(b *book, l *line) {
	j := b.jobs[l.int("job")]
	if j == nil {
		return // all of them, as a class was learned
	}
	name, n := reasonOf(l)
	wrong := ""
	switch {
	case name == "place-changed" && o.place(j) == 0:
		wrong = "its place kept, as only its deadline says where it stands"
	case name != "place-changed" && n[0] != j.due():
		wrong = fmt.Sprintf("its deadline of %d", j.due())
	case name != "place-changed" && (name == "back-in-time") != (o.outside[j] != 0):
		wrong = "a place where it does not stand already"
	case name == "promise-lost" && (!o.promised(j) || n[1] != j.due() && !slices.ContainsFunc(b.live, func(k *job) bool {
		return k.due() == n[1] && (k.state < admitted || o.promised(k)) && k.due() > j.due()
	})):
		wrong = "a place behind a job that is promised its deadline"
	}
	if wrong != "" {
		o.plan.want("rank", fmt.Sprintf("job=%d %s", j.id, wrong), "")
	}
	switch name {
	case "behind-others-in-time":
		o.outside[j] = never
	case "promise-lost":
		o.outside[j] = n[1] + 1
	case "back-in-time":
		delete(o.outside, j)
	}
}

// promised tells whether the job was told that it is.
func (o *stated) promised(j *job) bool { return o.said[j] != nil && o.said[j].word == "promised" }

// risk is what a promise to the job leaves.
func (o *stated) risk(j *job) int64 {
	if j.Confidence > 0 {
		return int64(math.Round((1 - j.Confidence) * 1e6))
	}
	if q, _ := o.queues.leaf(j.Queue); q != nil {
		return riskOf(q.Confidence, o.most)
	}
	return o.most
}

// verdict is what a job is told that is let in, and why: as the journal has it, or what is wrong with that.
func (o *stated) verdict(b *book, j *job, why string) (told, because string) {
	l := b.told[j.id]
	if l == nil || l.name != "admit" {
		return "", why
	}
	told, because = toldOf(l), l.get("reason")
	if wrong := o.wrong(b, j, l); wrong != "" {
		return told, wrong
	}
	o.tells(b, j, l)
	return told, because
}

// tells remembers what a job is told.
func (o *stated) tells(b *book, j *job, l *line) {
	text := toldOf(l)
	if s := o.said[j]; s == nil || s.text != text {
		o.said[j] = &said{text: text, at: b.now, half: l.num64("half"), ninety: l.num64("ninety"), by: l.num64("by"), word: l.get("word")}
	}
}

func (o *stated) wrong(b *book, j *job, l *line) string {
	name, n := reasonOf(l)
	if (name == "likely" || name == "behind" || name == "owed") && n[0] != j.Deadline {
		return fmt.Sprintf("its deadline of %d", j.Deadline)
	}
	if s := o.said[j]; s != nil && s.text == toldOf(l) {
		return ""
	}
	by, chance := l.num64("by"), l.num64("chance")
	word := "unpromised"
	switch name {
	case "likely":
		word = "promised"
		if by == 0 || by > j.Deadline || o.outside[j] != 0 {
			return "no promise"
		}
	case "behind", "owed":
		if n[1] != by || by != 0 && n[2] != 1e6-chance {
			return "what it is told"
		}
		if by != 0 && by <= j.Deadline && o.outside[j] == 0 {
			return "a promise"
		}
		if o.reject && !j.goesOn() && o.news[j] && b.foretells(j) && !o.spared[j] {
			return "that it is rejected"
		}
	case "no-deadline":
		if j.Deadline != never {
			return "its deadline"
		}
	case "count-unknown":
	default:
		return "what it is told of its finish"
	}
	if l.get("word") != word {
		return word
	}
	if by == 0 {
		return o.unknown(b, j)
	}
	return o.sound(b, j, l)
}

// counts tells whether a node is in service, or is woken in time.
func (o *stated) counts(n *node) bool {
	return n != nil && (n.serves() || o.sleepers && n.up && !n.draining)
}

// unknown says what is wrong with telling a job nothing of its finish.
func (o *stated) unknown(b *book, j *job) string {
	slotless := func(s stage) bool {
		return s.kind != master && len(s.Tasks) > s.done && slices.IndexFunc(b.nodes, func(n *node) bool {
			return o.counts(n) && s.needs.fits(&n.Class.Capacity)
		}) < 0
	}
	if len(j.After) > 0 || slices.ContainsFunc(j.Stages, slotless) {
		return ""
	}
	return "when it will be done"
}

// sound says what is wrong with the numbers of a statement.
func (o *stated) sound(b *book, j *job, l *line) string {
	asked, least := o.risk(j), int64(math.Round((1-j.Least)*1e6))
	if j.Least > 0 && least < asked {
		asked = least
	}
	most, half, ninety, by := asked, l.num64("half"), l.num64("ninety"), l.num64("by")
	chance, has := l.num64("chance"), l.get("chance") != ""
	if is := 1e6 - l.num64("confidence"); j.Least > 0 && l.get("word") == "promised" && is > asked &&
		(is == least || is < least && slices.Contains([]int64{10_000, 30_000, 50_000, 100_000, 200_000, 300_000, 400_000}, is)) {
		most = is
	}
	instants := []instant{{half, 500_000}, {ninety, 100_000}, {by, most}}
	slices.SortStableFunc(instants, func(x, y instant) int { return cmp.Compare(y.risk, x.risk) })
	switch {
	case half <= b.now:
		return "instants to come"
	case l.num64("confidence") != 1e6-most:
		return fmt.Sprintf("a confidence of %d", 1e6-most)
	case !slices.IsSortedFunc(instants, func(x, y instant) int { return cmp.Compare(x.at, y.at) }) || most == 100_000 && by != ninety:
		return "instants in the order of their confidence"
	case has != (j.Deadline != never):
		return "the probability of a deadline where there is one"
	case has && !between(j.Deadline, 1e6-chance, instants):
		return "the probability of its deadline between those of the instants around it"
	}
	return ""
}

// An instant is one by which a job is done but for a risk.
type instant struct{ at, risk int64 }

// between tells whether the risk at a deadline agrees with the instants.
func between(deadline, risk int64, list []instant) bool {
	for _, q := range list {
		near := q.risk / slack
		if deadline >= q.at && risk > q.risk+near || deadline < q.at-1e6 && risk < q.risk-near-1 {
			return false
		}
	}
	return true
}

// slack is the part of a risk by which that of a deadline may be off beside an instant, as what delays a job and what
// it deviates by add up to the one by their laws and to the other by their quantiles.
const slack = 4

// bound takes over which stage leaves slots to others, and how many.
func (o *stated) bound(b *book, j *job, l *line) {
	s, count := j.stage[stageOf(l.get("stage"))], -1
	if text := l.get("count"); text != "" {
		count, _ = strconv.Atoi(text)
	}
	most := int64(0)
	for _, n := range b.nodes {
		if o.counts(n) {
			most += n.Class.Capacity[slotOf(s.kind)]
		}
	}
	why := "long-tasks"
	if count >= 0 && int64(count) > most-max(1, most/20) {
		why = fmt.Sprintf("at most %d slots", most-max(1, most/20))
	}
	o.plan.setSlots(j, s.kind, count, why)
}

// foretells tells whether something is known of the class of a job, and of each that it waits for.
func (b *book) foretells(j *job) bool {
	p := b.profiles[j.Class]
	for _, s := range j.Stages {
		if p == nil || !slices.ContainsFunc(p.Models, func(m costModel) bool { return m.Stage == s.Kind }) {
			return false
		}
	}
	before := 0
	unknown := slices.ContainsFunc(b.live, func(k *job) bool {
		is := k.state <= admitted && slices.Contains(j.After, k.Name)
		if is {
			before++
		}
		return is && !b.foretells(k)
	})
	return !unknown && (before > 0 || !j.waits)
}

// refusal is why a job is rejected, or what is wrong with that.
func (o *stated) refusal(b *book, j *job, l *line) string {
	name, n := reasonOf(l)
	switch {
	case name == "orphan" && slices.ContainsFunc(j.After, func(id string) bool { return b.names[id] != nil && b.names[id].state == rejected }):
		return l.get("reason")
	case !o.reject || j.goesOn() || j.Deadline == never || o.refused[j.Class] >= 4:
		return "that it is let in"
	case name != "unlikely" && name != "owed" || n[0] != j.Deadline:
		return fmt.Sprintf("unlikely:%d", j.Deadline)
	case n[1] != 0 && n[1] <= j.Deadline && o.outside[j] == 0:
		return "a promise"
	case l.num64("by") != 0 && l.num64("by") <= j.Deadline:
		return fmt.Sprintf("an offer behind %d", j.Deadline)
	}
	return l.get("reason")
}

// foretold says what is wrong with what a job is told again.
func (o *stated) foretold(b *book, l *line) string {
	j := b.jobs[l.int("job")]
	if j == nil || j.state != admitted || o.said[j] == nil {
		return "nothing, as it was told nothing before"
	}
	was := o.said[j]
	half, by := l.num64("half"), l.num64("by")
	least := max(1e9, (was.by-was.at)/10) - 1e6 // what is told is rounded up to milliseconds
	far := func(is, was int64) bool {
		return max(is-was, was-is) > least || was <= b.now && max(is-was, was-is) > 1e9-1e6
	}
	moved := far(half, was.half) || far(by, was.by)
	name, n := reasonOf(l)
	later := half - was.half
	if name == "width-moved" {
		later = by - was.by
	}
	if name == "promised-now" || name == "promised-with" && o.rented {
		if was.word != "unpromised" || l.get("word") != "promised" || by == 0 || by > j.Deadline || n[0] != j.Deadline || o.outside[j] != 0 ||
			!b.timesOf(j, 1, mean).known {
			return "no promise"
		}
		*was = said{text: toldOf(l), at: b.now, half: half, ninety: l.num64("ninety"), by: by, word: "promised"}
		return o.sound(b, j, l)
	}
	switch {
	case was.half != 0 && !moved:
		return fmt.Sprintf("nothing, as neither instant has moved by more than %d", least)
	case l.get("word") != was.word:
		return was.word
	case was.half != 0 && n[0] != later:
		return fmt.Sprintf("a move of %d", later)
	}
	if wrong := o.sound(b, j, l); wrong != "" {
		return wrong
	}
	*was = said{text: toldOf(l), at: b.now, half: half, ninety: l.num64("ninety"), by: by, word: was.word}
	return ""
}
