package referee

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// likely is what promise does otherwise than rtmr: its promises have a probability.
//
// The numbers of a verdict (when the job would be done, its risk, by how much it raises the risk of
// others, what its tasks take on the average) are taken from the journal's reason. When the job would be
// done is played as well, and has to be near that (chances.go). What has to follow from the numbers is held to it:
//
//   - A promise asks for a risk of no more than its confidence leaves, and its quantiles are in order.
//   - The risk at the deadline lies where the quantiles have it: one of 10 % or less if 90 % are done by then, of
//     more if they are not, and so for the half. Times are whole milliseconds, risks millionths.
//   - The deadline that is offered to who is refused lies behind the one that was asked for.
//   - Who raises the risk of a promise spends the rise from its budget: what its confidence leaves,
//     less its own risk when it was made, less what others have spent. It may not be overdrawn, and
//     only promises that stand behind, by deadline, can be raised.
//   - Who is refused has a larger risk than its confidence leaves, or would overdraw a budget that has
//     just so much left.
//   - A job that has started is overtaken like any other.
//   - Jobs without a promise that can still be in time with the whole cluster go first among these, by
//     deadline; then the others by least work left, those of which nothing is known by tasks left, and
//     those without a deadline. When one has come to its last such instant, it is reckoned again.
//   - Their reduces wait as lateStart has it.
type likely struct {
	most    int64 // risk that a promise leaves, in millionths, unless the job or its queue says
	queues  *describedQueues
	behind  bool // what cannot be promised runs without a promise
	budgets map[*job]int64
	hopes   map[*job]*hoped
	late    lateStart
	chances chances
}

// hoped is what a job without a promise can hope for.
type hoped struct {
	means [2]int64 // of its maps, of its reduces; 0 = not known
	till  int64    // the last instant from which it could be in time; 0 = there is none
}

// likelyOf reads level=99%.
func likelyOf(m *made, a *asked) *likely {
	part, err := strconv.ParseFloat(strings.TrimSuffix(a.with["level"], "%"), 64)
	if err != nil {
		part = 99
	}
	return &likely{most: int64(math.Round((100 - part) * 1e4)), queues: m.queues, behind: a.with["refused"] != "reject",
		budgets: map[*job]int64{}, hopes: map[*job]*hoped{}, chances: chances{laws: map[*job]*law{}}}
}

// A proof is one piece of a reason's evidence.
type proof struct {
	job        int
	at, amount int64
}

// reasonOf reads a reason: its name, its numbers, its evidence.
func reasonOf(l *line) (name string, n [3]int64, list []proof) {
	name, in, _ := strings.Cut(l.get("reason"), ":")
	for i, s := range strings.SplitN(in, ",", 3) {
		n[i], _ = strconv.ParseInt(s, 10, 64)
	}
	if text := l.get("evidence"); text != "" {
		for one := range strings.SplitSeq(text, ",") {
			var e proof
			fmt.Sscanf(one, "%d:%d:%d", &e.job, &e.at, &e.amount)
			list = append(list, e)
		}
	}
	return name, n, list
}

// confidence is the risk that a promise leaves by what the journal says of it, in millionths.
func confidence(l *line) int64 { return 1e6 - l.num64("confidence") }

// settle holds what the journal says of a claim to the rule, and does what follows.
func (r *rtmr) settle(b *book, c *claim, by int, p *wants) {
	j, l := c.job, b.told[c.job.id]
	if l == nil {
		p.want("admit", fmt.Sprintf("job=%d", j.id), "")
		return
	}
	name, n, list := reasonOf(l)
	most := r.likely.most
	if q, _ := r.likely.queues.leaf(j.Queue); q != nil && q.Confidence != "" {
		part, _ := strconv.ParseFloat(strings.TrimSuffix(q.Confidence, "%"), 64)
		most = int64(math.Round((100 - part) * 1e4))
	}
	if j.Confidence > 0 {
		most = int64(math.Round((1 - j.Confidence) * 1e6))
	}
	at := r.plan.position(c)
	why := l.get("reason")
	if other := l.get("because-job"); other != "" {
		why += " job " + other
	}
	wrong := r.wrong(name, n, list, c, at, most, l)
	if wrong == "" && by == 0 && l.get("because-job") == "" {
		wrong = r.unlike(b, name, n, list, c, at, most, l)
	}
	if wrong != "" {
		why = wrong
	}
	switch name {
	case "likely":
		p.verdict("admit", j, admitted, toldOf(l), why)
		for _, e := range list[min(1, len(list)):] {
			r.likely.budgets[b.jobs[e.job]] -= e.amount - e.at
		}
		if len(list) > 0 {
			r.likely.budgets[j] = most - list[0].amount
		}
		c.most = most
		r.join(b, c)
		r.restrain(j, p)
	case "behind", "begun", "class-unknown":
		var means [2]int64
		if len(list) > 1 {
			means = [2]int64{list[1].at, list[1].amount}
		}
		r.hope(j, means)
		r.lend(b, j, p, why)
	default:
		p.verdict("reject", j, rejected, toldOf(l), why)
	}
}

// wrong says what is wrong with a verdict, "" if nothing is.
func (r *rtmr) wrong(name string, n [3]int64, list []proof, c *claim, at int, most int64, l *line) string {
	behind := func(id int) *claim {
		for _, o := range r.plan.queue[at:] {
			if o.job.id == id {
				return o
			}
		}
		return nil
	}
	switch name {
	case "likely":
		by, half, ninety := l.num64("by"), l.num64("half"), l.num64("ninety")
		switch {
		case len(list) < 1 || list[0].at != 0 || half == 0 || ninety == 0 || l.get("word") != "promised":
			return "a promise with its median, its 90 % and its risk"
		case n[0] != c.deadline || confidence(l) != most:
			return fmt.Sprintf("a promise of %d at a risk of %d", c.deadline, most)
		case by-1e6 > c.deadline || half > ninety || most <= 100_000 && ninety > by || most == 100_000 && ninety != by:
			return "quantiles in their order, before the deadline"
		case !between(c.deadline, list[0].amount, quantiles(l)):
			return "a risk between those of the quantiles around the deadline"
		case list[0].amount > most:
			return fmt.Sprintf("a refusal: the risk of %d is above %d", list[0].amount, most)
		}
		for i, e := range list[1:] {
			o := behind(e.job)
			switch {
			case o == nil:
				return fmt.Sprintf("no rise of job %d, which does not stand behind it", e.job)
			case e.amount <= e.at || e.amount-e.at > max(0, r.likely.budgets[o.job]):
				return fmt.Sprintf("a refusal: job %d can bear %d", e.job, max(0, r.likely.budgets[o.job]))
			case slices.ContainsFunc(list[1:1+i], func(x proof) bool { return x.job == e.job }):
				return fmt.Sprintf("one rise of job %d", e.job)
			}
		}
	case "behind", "unlikely", "overdrawn":
		if r.likely.behind != (name == "behind") {
			return fmt.Sprintf("what refused= says, which %s is not", name)
		}
		if c.job.goesOn() {
			return "begun"
		}
		offer := l.num64("by")
		if len(list) > 0 {
			offer = list[0].at
		}
		if offer != 0 && offer <= c.deadline {
			return fmt.Sprintf("an offer behind %d", c.deadline)
		}
		id := int(l.num64("because-job"))
		switch o := behind(id); {
		case id == 0 && (name == "overdrawn" || n[0] != c.deadline || n[1] < c.deadline || n[2] <= most):
			return fmt.Sprintf("a promise, or a risk above %d", most)
		case id != 0 && (name == "unlikely" || o == nil):
			return "the name of a job that stands behind it"
		case id != 0 && (n[1] != max(0, r.likely.budgets[o.job]) || n[0] <= n[1] || n[2] > most):
			return fmt.Sprintf("a promise, or more than the %d that job %d can bear", max(0, r.likely.budgets[o.job]), id)
		}
	case "begun":
		if !c.job.goesOn() {
			return "a verdict"
		}
	case "class-unknown":
	default:
		return "a verdict on a risk"
	}
	return ""
}

// quantiles are when half of all such jobs and 90 % of them are done, as the journal says.
func quantiles(l *line) []proof {
	return []proof{{at: l.num64("half"), amount: 500_000}, {at: l.num64("ninety"), amount: 100_000}}
}

// between tells whether a risk at a deadline agrees with the times at which risks are what the quantiles say.
func between(deadline, risk int64, quantiles []proof) bool {
	for _, q := range quantiles {
		if deadline >= q.at && risk > q.amount || deadline < q.at-1e6 && risk < q.amount-1 {
			return false
		}
	}
	return true
}

// hope begins with what a job without a promise can hope for.
func (r *rtmr) hope(j *job, means [2]int64) {
	h := &hoped{means: means}
	r.likely.hopes[j] = h
	if j.Deadline != never {
		h.till = max(0, r.lastInstant(j, h))
	}
}

// lastInstant is from when on it would be late with all slots.
func (r *rtmr) lastInstant(j *job, h *hoped) int64 {
	at := j.Deadline
	for i, kind := range []int{mapStage, reduceStage} {
		if s := j.stage[kind]; s != nil && s.open > 0 {
			all := int64(math.Round(float64(h.means[i]) * float64(s.open)))
			at -= max(h.means[i], all/int64(max(1, r.slots[i])))
		}
	}
	return at
}

// despair reckons the hopes again that have come to their end.
func (r *rtmr) despair(b *book) {
	for _, j := range r.others {
		if h := r.likely.hopes[j]; h != nil && h.till > 0 && h.till < b.now {
			if h.till = r.lastInstant(j, h); h.till < b.now {
				h.till = 0
			}
		}
	}
}

// place is where a job without a promise stands among such jobs.
func (r *rtmr) place(j *job) [2]int64 {
	h := r.likely.hopes[j]
	left := func(kind int) int64 {
		if s := j.stage[kind]; s != nil {
			return int64(len(s.Tasks) - s.done)
		}
		return 0
	}
	switch {
	case h == nil: // it is measured
		return [2]int64{0}
	case j.Deadline == never:
		return [2]int64{4}
	case h.till > 0:
		return [2]int64{1, j.Deadline}
	case h.means == [2]int64{}:
		return [2]int64{3, left(mapStage) + left(reduceStage)}
	}
	work := func(i, kind int) int64 { return int64(math.Round(float64(h.means[i]) * float64(left(kind)))) }
	return [2]int64{2, plus(work(0, mapStage), work(1, reduceStage))}
}

// lentInOrder are the jobs without a promise in the order in which they are served.
func (r *rtmr) lentInOrder() []*job {
	if r.likely == nil {
		return r.others
	}
	list := slices.Clone(r.others)
	slices.SortFunc(list, func(x, y *job) int {
		a, b := r.place(x), r.place(y)
		return cmp.Or(slices.Compare(a[:], b[:]), cmp.Compare(x.seq, y.seq))
	})
	return list
}

// noteLikely takes in what has ended: last maps of jobs, and jobs.
func (r *rtmr) noteLikely(b *book, events []*line, p *wants) {
	r.likely.chances.note(b, events)
	if slices.ContainsFunc(events, func(e *line) bool { return e.name == "ended" || e.name == "output-lost" || e.name == "refused" }) {
		i := 0
		for _, e := range events {
			id := e.int("job")
			if e.name == "ended" {
				for ; i < len(b.fresh) && b.fresh[i].id != e.int("attempt"); i++ {
				}
				if id = 0; i < len(b.fresh) {
					id = b.fresh[i].job
				}
			}
			if j := b.jobs[id]; j != nil && j.state != finished && r.plan.find(j) >= 0 {
				r.restrain(j, p)
			}
		}
	}
	gone := func(j *job) bool { return j.state == finished }
	r.plan.queue = slices.DeleteFunc(r.plan.queue, func(c *claim) bool { return gone(c.job) })
	r.others = slices.DeleteFunc(r.others, gone)
}
