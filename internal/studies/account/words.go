package account

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/units"
)

// said is each cause in words, behind a span of time.
var said = map[Cause]string{
	Predecessors: "waited for jobs that come before it", Verdict: "waited for its verdict", Sample: "waited while its first tasks were measured",
	Held: "was held back", Slots: "waited for slots", Limit: "waited at a bound, or while free slots were kept for others",
	Locality: "waited for room beside its input", Beat: "waited for a node to report its free slots", NoNode: "waited for a node that could run it",
	Stock:  "waited for the cluster's own scheduler, which places work",
	Remote: "read from other nodes", SlowNode: "lost on slow nodes", Load: "lost on nodes with other work", Straggler: "took longer than such tasks should",
	TaskFailed: "went to attempts that failed", Killed: "went to attempts that were killed", OutputLost: "went to output that was lost",
	NodeDown: "went to attempts lost with their node", Master: "got its ApplicationMaster ready", Work: "worked", Finish: "had ended, and that was not told yet",
}

// Words says what the cause is.
func (c Cause) Words() string { return said[c] }

// Sentence says in a line what took most besides the work, "" if nothing did.
func (a *Account) Sentence() string {
	totals := slices.DeleteFunc(a.Totals(), func(t Total) bool { return t.Cause == Work || t.Cause == Finish || 20*t.Took < a.Response() })
	slices.SortStableFunc(totals, func(x, y Total) int { return cmp.Compare(y.Took, x.Took) })
	var parts []string
	for _, t := range totals[:min(len(totals), 2)] {
		text := units.Span(t.Took.Seconds()) + " " + t.Cause.Words()
		if who := a.most(t.Cause); who != "" {
			text += " (" + who + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// most is what is told of the longest part with a cause, "" if that is nothing.
func (a *Account) most(c Cause) string {
	var p *Part
	for i := range a.Parts {
		if q := &a.Parts[i]; q.Cause == c && (p == nil || q.Took > p.Took) {
			p = q
		}
	}
	switch {
	case len(p.Jobs) > 0 && p.Jobs[0].Self && len(p.Jobs) == 1:
		return "its own tasks held them"
	case len(p.Jobs) > 0:
		return strings.Join(each.Of(p.Jobs[:min(2, len(p.Jobs))], func(o Other) string { return o.name() }), ", ")
	case c == SlowNode || c == Load || c == Straggler || c == NodeDown:
		return p.Node
	}
	return ""
}

// Overtaken is for how long the job waited for slots that jobs held which came after it, and who held most of them in
// the longest of these waits.
func (a *Account) Overtaken() (waited units.Duration, who string) {
	longest := units.Duration(0)
	for i := range a.Parts {
		p := &a.Parts[i]
		later := slices.DeleteFunc(slices.Clone(p.Jobs), func(o Other) bool { return o.Self || o.First })
		if p.Cause != Slots || len(later) == 0 {
			continue
		}
		if waited += p.Took; p.Took > longest {
			longest, who = p.Took, strings.Join(each.Of(later[:min(2, len(later))], func(o Other) string { return o.Job }), ", ")
		}
	}
	return waited, who
}

func (o *Other) name() string {
	if o.Self {
		return "its own tasks"
	}
	return o.Job
}

// Chapter is a part in words: after how long, for how long, what, and who or why.
type Chapter struct {
	After, Took units.Duration
	What        string
	Why         []string
}

// Story tells the parts one by one.
func (a *Account) Story() (list []Chapter) {
	for i := range a.Parts {
		p := &a.Parts[i]
		what := p.Cause.Words()
		if p.Stage != nil && p.Task > 0 {
			what = fmt.Sprintf("%s-%d %s", *p.Stage, p.Task, what)
		} else if p.Stage != nil {
			what = fmt.Sprintf("%s: %s", *p.Stage, what)
		}
		var why []string
		if p.Node != "" {
			why = append(why, "on "+p.Node)
		}
		for _, o := range p.Jobs {
			if o.Held == 0 || 20*o.Held >= p.Took { // who held hardly any was in nobody's way
				why = append(why, o.words(p, a.Arrived))
			}
		}
		if p.Queue != "" {
			why = append(why, "its queue is "+p.Queue)
		}
		if p.More > 0 {
			why = append(why, fmt.Sprintf("%d more jobs", p.More))
		}
		if p.Why != "" {
			why = append(why, p.Why)
		}
		list = append(list, Chapter{p.From.Sub(a.Arrived), p.Took, what, why})
	}
	return list
}

// words says who held slots for how much, until when, and why that job was not behind.
func (o *Other) words(p *Part, arrived units.Time) string {
	text := o.name()
	if o.Queue != "" {
		text += " of queue " + o.Queue
	}
	if o.Held == 0 {
		return fmt.Sprintf("%s, which ended after %s", text, units.Span(o.Until.Sub(arrived).Seconds()))
	}
	text += fmt.Sprintf(" held %s until %s", slots(float64(o.Held)/float64(p.Took)), units.Span(o.Until.Sub(arrived).Seconds()))
	var why []string
	if o.Ran {
		why = append(why, "its tasks ran already")
	}
	if o.Self {
		return text
	}
	for _, r := range []struct {
		is   bool
		text string
	}{{o.First, "it came earlier"}, {o.Due, "its deadline is earlier"}, {o.Taken, "it has a promise"}} {
		if r.is {
			why = append(why, r.text)
		}
	}
	if why == nil {
		why = []string{"the policy put it before"}
	}
	return text + " (" + strings.Join(why, ", ") + ")"
}

// slots writes a mean number of them.
func slots(x float64) string {
	n := strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0")
	if n == "1" {
		return "1 slot"
	}
	return n + " slots"
}
