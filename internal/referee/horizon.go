package referee

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// recede is the policy rds. What its optimizer and its models find is not found again: the plan is believed
// as the journal has it, and held to the rules that a plan has to keep whatever it is (paper 000). That no other
// answer is better is not checked: the models' gains and the costs of changes are in no journal, and without them
// nobody can tell what a slot more for one job and one less for another is worth.
//
//   - equation 2: the bounds of all jobs that run are at most the slots that are up, and none is above
//     the tasks that the stage has left. While the optimizer is at work (until its plan holds) the
//     bounds of before stand.
//   - the fast path (section 4.3): a job is on it if it came with a deadline before the next interval, and nobody
//     else is; none is when that interval begins.
//   - the next interval is never farther than the length of one.
//   - algorithm 1, lines 5 and 9: the job goes first whose bound is farthest above the slots that it
//     has, then the earlier deadline, then the earlier arrival. Jobs on the fast path go before all
//     others while they lack slots, by deadline.
//   - a job that had begun is let in.
//   - of the optimum: equation 2 is one row for each kind of slots, so all bounds of a kind that are given at once
//     name one price. What an interval owes (y_ref) is all work by the intervals until t_soft, or what is left if
//     that is less; what is expected of it is a part of the job.
//   - algorithm 1 goes on until all slots are given (line 11): where bounds are given no slot is left that a job
//     could use, and none has more than it can use. Whose plan has nothing gets its k-th slot at a Δu of 1 - k, so
//     that nobody who lacks a slot has fewer than k - 1 by then, whatever the plan has for it.
//
// Starts are predicted as for any other policy.
type recede struct {
	interval int64
	fast     bool
	prices   map[int]string // of kinds of slots, as this round has named them
	items    []*line
	waits    map[int]int64  // items that are held, and until when
	said     map[int]string // their reasons and counts
	first    map[int]int64  // until when jobs are on the fast path, 0 = they are not
	came     map[int]bool   // jobs that came this round
	amended  map[int]bool   // jobs whose deadlines may be others than those that were planned for
}

func recedeOf(a *asked) *recede {
	return &recede{interval: a.span("interval", 600e9), fast: a.on("fast", true), prices: map[int]string{}, waits: map[int]int64{},
		said: map[int]string{}, first: map[int]int64{}, came: map[int]bool{}, amended: map[int]bool{}}
}

// witness is a part that has to see what the journal has before it says what it should have.
type witness interface{ witness(items []*line) }

func (r *recede) witness(items []*line) { r.items = items }

// decide takes verdicts, and what was held and is due.
func (r *recede) decide(b *book, batch []*line, p *wants) {
	clear(r.came)
	for _, l := range batch {
		switch l.name {
		case "job-arrived":
			r.came[l.int("job")] = true
		case "stage-ready": // of a job that waited for others
			r.came[l.int("job")] = r.came[l.int("job")] || len(b.jobs[l.int("job")].After) > 0
		case "job-ended":
			delete(r.first, l.int("job")) // its number may be another's next
			delete(r.amended, l.int("job"))
		case "job-amended":
			r.amended[l.int("job")] = true
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
			cause, numbers := reasonOf(l)
			id := l.int("job")
			quick, begins := b.jobs[id].Deadline < numbers[1] && r.fast, numbers[1] == b.now+r.interval
			on := cause == "on-fast-path"
			if r.first[id] = 0; on {
				r.first[id] = numbers[1]
			}
			switch {
			case on && !(quick && r.came[id]):
				p.want("rank", fmt.Sprintf("job=%d: the fast path for who comes with a deadline before the next interval", id), "")
			case !on && quick && !begins:
				p.want("rank", fmt.Sprintf("job=%d: on the fast path until the next interval begins", id), "")
			}
		case l.name == "reject":
			p.want("no rejection", "", "")
		}
	}
}

// sharing is the part that bounds jobs.
type sharing struct{ *recede }

func (r sharing) decide(b *book, _ []*line, p *wants) {
	gives := false
	var spare []*stage // given of what the plan leaves alone
	clear(r.prices)
	for _, l := range r.items {
		if _, due := r.waits[l.int("id")]; l.word == "item" && l.name == "set-slots" && !due {
			r.believe(b, l, p)
			gives = gives || l.get("refused") == "" && !slices.Contains(l.flags, "held")
			if strings.HasPrefix(l.get("reason"), "spare-slots") && l.int("count") > 0 {
				spare = append(spare, b.jobs[l.int("job")].stage[stageOf(l.get("stage"))])
			}
		}
	}
	for id, at := range r.waits {
		if at <= b.now {
			delete(r.waits, id)
			delete(r.said, id)
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
			return
		}
	}
	if gives {
		r.spread(b, sum, spare, p)
	}
}

// spread holds bounds to algorithm 1.
func (r sharing) spread(b *book, given [2]int, spare []*stage, p *wants) {
	left := [2]int{-given[0], -given[1]}
	for _, j := range b.live { // and who is to have slots once there is room for its master
		for i := range j.Stages {
			if s := &j.Stages[i]; j.state == held && s.limit > 0 && s.slot() >= 0 {
				left[s.slot()] -= s.limit * int(s.needs[s.slot()])
			}
		}
	}
	for _, n := range b.nodes {
		if n != nil && n.serves() {
			left[0] += int(n.Class.Capacity[0])
			left[1] += int(n.Class.Capacity[1])
		}
	}
	for _, j := range b.live {
		for _, kind := range [2]int{mapStage, reduceStage} {
			s := j.stage[kind]
			if j.state != admitted || s == nil || s.slot() < 0 {
				continue
			}
			use, wrong := j.use(s), ""
			switch {
			case s.limit > use:
				wrong = fmt.Sprintf("%d slots at most, as it can use no more", use)
			case s.limit < use && int(s.needs[s.slot()]) <= left[s.slot()]:
				wrong = fmt.Sprintf("more than %d slots, as %d are left", s.limit, left[s.slot()])
			case s.limit < use && r.first[j.id] == 0:
				for _, o := range b.live {
					for _, t := range spare {
						if o.stage[t.kind] == t && t.slot() == s.slot() && s.limit < t.limit-1 && s.needs[s.slot()] <= t.needs[t.slot()] {
							wrong = fmt.Sprintf("a slot before job %d gets one more, for which nothing is planned", o.id)
						}
					}
				}
			}
			if wrong != "" {
				p.want("set-slots", fmt.Sprintf("job=%d stage=%s: %s", j.id, stageNames[kind], wrong), "")
				return
			}
		}
	}
}

// use is how many slots tasks of a stage could use: reduces none before all maps have begun.
func (j *job) use(s *stage) int {
	if s.kind == reduceStage && s.occupied == 0 && (!s.ready || s.withheld || j.stage[mapStage] != nil && j.stage[mapStage].open > 0) {
		return 0
	}
	return len(s.Tasks) - s.done
}

// reasoned says what is wrong with the reason of a bound, "" if nothing is.
func (r *recede) reasoned(b *book, j *job, st *stage, cause string, n [3]int64) string {
	switch {
	case cause == "fast-slots" != (r.first[j.id] > 0):
		return "slots of the fast path for a job on it, and for no other"
	case cause == "fast-slots" && (n[0] != j.Deadline || n[1] != r.first[j.id] || n[1] > b.now+r.interval):
		return "on the fast path its deadline, and the next interval, until which it is there, no later than one from now"
	case cause == "fast-slots":
		return ""
	}
	price := strconv.FormatInt(n[0], 10)
	if was := r.prices[st.slot()]; was != "" && was != price {
		return fmt.Sprintf("one price for all slots of its kind, and that was %s", was)
	}
	if r.prices[st.slot()] = price; n[0] < 0 {
		return "a price that is not negative"
	}
	if cause != "planned-slots" {
		return ""
	}
	soft := j.Deadline
	if j.Soft != never && j.Soft < soft {
		soft = j.Soft
	}
	most := 1e6 / max(1, float64(soft-j.arrived)/float64(r.interval))
	done := j.occupied > 0 || slices.ContainsFunc(j.Stages, func(s stage) bool { return s.done > 0 })
	switch {
	case n[2] < 0 || n[2] > 1e6 || n[1] < 0 || n[1] > 1e6:
		return "parts of the job"
	case r.amended[j.id]:
	case float64(n[1]) > most+1 || !done && float64(n[1]) < most-1:
		return fmt.Sprintf("that it owes %.0f millionths", most)
	}
	return ""
}

// believe takes an item as it is, if it may be so.
func (r *recede) believe(b *book, l *line, p *wants) {
	j := b.jobs[l.int("job")]
	cause, numbers := reasonOf(l)
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
			p.verdict("admit", j, admitted, "", "")
		}
	case "hold":
		switch {
		case j.goesOn() || j.occupied > 0:
			bad = "a job that has begun is let in"
		case cause == "next-interval" && r.fast && r.came[j.id] && j.Deadline < numbers[0] && numbers[0] != b.now+r.interval:
			bad = "the fast path for a deadline before the next interval"
		case cause == "next-interval" && numbers[0] > b.now+r.interval:
			bad = "the next interval no later than one from now"
		}
		p.verdict("hold", j, held, "", "")
	case "set-slots":
		st := j.stage[stageOf(l.get("stage"))]
		if _, due := r.waits[l.int("id")]; !due && l.int("count") > len(st.Tasks)-st.done {
			bad = "no more slots than tasks are left"
		} else if !due {
			bad = r.reasoned(b, j, st, cause, numbers)
		} else if l.get("reason")+l.get("count") != r.said[l.int("id")] {
			bad = "what was held"
		}
		if !isHeld {
			p.setSlots(j, st.kind, l.int("count"), "")
		}
	}
	if isHeld {
		r.waits[l.int("id")], r.said[l.int("id")] = l.num64("at"), l.get("reason")+l.get("count")
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
		if n > 0 && o.first[j.id] > 0 {
			return 0, 0
		}
		return 1, -n
	}
	p, a := lacks(x, s)
	q, c := lacks(y, t)
	return cmp.Or(cmp.Compare(p, q), cmp.Compare(a, c), cmp.Compare(x.due(), y.due()), cmp.Compare(x.arrived, y.arrived))
}

// void forgets what the order was told.

func (adjusted) line(x, y *job) int { return cmp.Compare(x.due(), y.due()) }
func (adjusted) shares() bool       { return true }

// slot is the kind of slot that a task of the stage takes, -1 if it takes none.
func (s *stage) slot() int {
	switch {
	case s.needs[0] > 0:
		return 0
	case s.needs[1] > 0:
		return 1
	}
	return -1
}
