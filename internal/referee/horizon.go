package referee

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// recede is the policy rds. What its optimizer and its models find is not found again: the plan is believed
// as the journal has it, and held to the rules that a plan has to keep whatever it is (paper 000):
//
//   - equation 2: the bounds of all jobs that run are at most the slots that are up, and none is above
//     the tasks that the stage has left. While the optimizer is at work (until its plan holds) the
//     bounds of before stand.
//   - the fast path (section 4.3): a job is on it only if its deadline lies before the next interval,
//     and one that waits for that has a deadline behind it.
//   - the next interval is never farther than the length of one.
//   - algorithm 1, lines 5 and 9: the job goes first whose bound is farthest above the slots that it
//     has, then the earlier deadline, then the earlier arrival. Jobs on the fast path go before all
//     others while they lack slots, those first that lack fewest.
//   - a job that had begun is let in.
//
// Starts are predicted as for any other policy.
type recede struct {
	interval int64
	fast     bool
	items    []*line
	waits    map[int]int64 // items that are held, and until when
	first    map[int]bool  // jobs that were put on the fast path
}

func recedeOf(a *asked) *recede {
	return &recede{interval: a.span("interval", 600e9), fast: a.on("fast", true), waits: map[int]int64{}, first: map[int]bool{}}
}

// witness is a part that has to see what the journal has before it says what it should have.
type witness interface{ witness(items []*line) }

func (r *recede) witness(items []*line) { r.items = items }

// void drops what was held.
func (r *recede) void() { clear(r.waits) }

// decide takes verdicts, and what was held and is due.
func (r *recede) decide(b *book, batch []*line, p *wants) {
	for _, l := range batch {
		if l.name == "job-ended" {
			delete(r.first, l.int("job")) // its number may be another's next
		}
	}
	for _, l := range r.items {
		_, due := r.waits[l.int("id")]
		switch {
		case l.word != "item" || l.get("refused") != "":
			if due || l.name == "admit" || l.name == "hold" {
				p.acts = append(p.acts, actsOf(l)...)
			}
		case due, l.name == "admit", l.name == "hold":
			r.believe(b, l, p)
		case l.name == "rank":
			cause, rest, _ := strings.Cut(l.get("reason"), ":")
			_, next, _ := strings.Cut(rest, ",")
			at, _ := strconv.ParseInt(next, 10, 64)
			quick := b.jobs[l.int("job")].Deadline < at && r.fast
			if r.first[l.int("job")] = cause == "on-fast-path"; quick != r.first[l.int("job")] {
				p.want("rank", fmt.Sprintf("job=%d: the fast path for a deadline before the next interval, and for no other", l.int("job")), "")
			}
		case l.name == "reject":
			p.want("no rejection", "", "")
		}
	}
}

// sharing is the part that bounds jobs.
type sharing struct{ *recede }

func (r sharing) decide(b *book, _ []*line, p *wants) {
	for _, l := range r.items {
		if _, due := r.waits[l.int("id")]; l.word == "item" && l.name == "set-slots" && !due {
			r.believe(b, l, p)
		}
	}
	for id, at := range r.waits {
		if at <= b.now {
			delete(r.waits, id)
		}
	}
	if len(r.waits) > 0 {
		return
	}
	var sum [2]int
	for _, j := range b.live {
		for _, s := range [2]int{mapStage, reduceStage} {
			if st := j.stage[s]; j.state == admitted && st != nil && st.slot() >= 0 {
				if st.limit < 0 {
					p.want("set-slots", fmt.Sprintf("job=%d stage=%s", j.id, stageNames[s]), "every job that runs has a bound")
					return
				}
				sum[st.slot()] += st.limit * int(st.needs[st.slot()])
			}
		}
	}
	for k, n := range sum {
		if n > int(b.capacity[k]) {
			p.want("set-slots", fmt.Sprintf("bounds of %d slots at most, and they are %d", b.capacity[k], n), "")
		}
	}
}

// believe takes an item as it is, if it may be so.
func (r *recede) believe(b *book, l *line, p *wants) {
	j := b.jobs[l.int("job")]
	cause, rest, _ := strings.Cut(l.get("reason"), ":")
	var numbers [3]int64
	for i, text := range strings.Split(rest, ",") {
		if i < len(numbers) {
			numbers[i], _ = strconv.ParseInt(text, 10, 64)
		}
	}
	before := len(p.acts)
	isHeld := slices.Contains(l.flags, "held")
	bad := ""
	switch l.name {
	case "admit":
		switch {
		case cause == "fast-path" && !r.fast:
			bad = "no fast path"
		case cause == "fast-path" && (numbers[0] != j.Deadline || numbers[1] <= j.Deadline):
			bad = "on the fast path a deadline before the next interval"
		case cause == "fast-path" && numbers[1] > b.now+r.interval:
			bad = "the next interval no later than one from now"
		}
		if !isHeld {
			p.verdict("admit", j, admitted, 0, "")
		}
	case "hold":
		switch {
		case j.goesOn() || j.occupied > 0:
			bad = "a job that has begun is let in"
		case cause == "next-interval" && r.fast && j.Deadline < numbers[0]:
			bad = "the fast path for a deadline before the next interval"
		case cause == "next-interval" && numbers[0] > b.now+r.interval:
			bad = "the next interval no later than one from now"
		}
		p.verdict("hold", j, held, 0, "")
	case "set-slots":
		st := j.stage[stageOf(l.get("stage"))]
		if _, due := r.waits[l.int("id")]; !due && l.int("count") > len(st.Tasks)-st.done {
			bad = "no more slots than tasks are left"
		}
		if !isHeld {
			p.setSlots(j, st.kind, l.int("count"), "")
		}
	}
	if isHeld {
		r.waits[l.int("id")] = l.num64("at")
	}
	p.acts = append(p.acts[:before], actsOf(l)...)
	if bad != "" {
		p.acts = p.acts[:before]
		p.want(l.name, fmt.Sprintf("job=%d: %s", j.id, bad), "")
	}
}

// adjusted is the order of algorithm 1.
type adjusted struct {
	flat
	*recede
}

func (o adjusted) compare(x *job, s int, y *job, t int) int {
	lacks := func(j *job, s int) (path, n int) {
		if st := j.stage[s]; st.limit >= 0 {
			n = st.limit - st.occupied
		}
		if n > 0 && o.first[j.id] {
			return 0, n
		}
		return 1, -n
	}
	p, a := lacks(x, s)
	q, c := lacks(y, t)
	return cmp.Or(cmp.Compare(p, q), cmp.Compare(a, c), cmp.Compare(x.due(), y.due()), cmp.Compare(x.arrived, y.arrived))
}

// void forgets what the order was told.
func (o adjusted) void() { clear(o.first) }

func (adjusted) line(x, y *job) int { return cmp.Compare(x.due(), y.due()) }
func (adjusted) shares() bool       { return true }
