package referee

import (
	"fmt"
	"slices"
	"strings"
)

// While a policy only watches, its verdicts and bounds stand as advice, and what would act is refused. It wants the
// same starts at each beat, as none of them is done: a journal has of those only what differs from what was
// last advised about the same node, attempt or job.

// advised is what a policy that watches has advised to do.
type advised struct {
	stands   map[string][]string // what would act, by what it is about
	since    map[string]int      // the rounds in which nodes, jobs and attempts came
	refusals []*line             // of what the last plan repeats: they have no lines
	refuses  bool                // the last plan has refusals, with lines or without
}

// watch begins or ends the watching.
func (j *judge) watch(on bool) {
	j.watching = on
	j.advised = advised{stands: map[string][]string{}, since: map[string]int{}, refusals: j.advised.refusals, refuses: j.advised.refuses}
}

// came notes since when a handle is in use.
func (j *judge) came(kind string, handle int) {
	if j.watching {
		j.advised.since[fmt.Sprint(kind, handle)] = j.report.Rounds
	}
}

// bears tells whether the verb is about how a job is planned for, so that it stands as advice.
func bears(verb string) bool {
	switch verb {
	case "admit", "hold", "reject", "sample", "withhold", "release", "set-slots", "set-deadline":
		return true
	}
	return false
}

// undone tells whether an item was refused, and does not stand as advice either.
func (l *line) undone() bool {
	refused := l.get("refused")
	return refused != "" && (refused != "watched" || !bears(l.name))
}

// unheard gives the refusals of the last plan that have no lines their place among the events.
func (j *judge) unheard(events []*line) []*line {
	lines := j.advised.refusals
	if j.advised.refusals, j.advised.refuses = nil, false; len(lines) == 0 {
		return events
	}
	at := slices.IndexFunc(events, func(l *line) bool { return l.name == "heartbeat" || l.name == "tick" })
	if at < 0 {
		at = len(events)
	}
	return slices.Insert(slices.Clone(events), at, lines...)
}

// news leaves out what is wanted again, and returns how many items that are.
func (j *judge) news(acts []act) (fresh []act, repeated int) {
	next := map[string][]string{}
	for _, a := range acts {
		if bears(a.verb) || a.verb == "foretell" || a.verb == "rank" || a.verb == "wake-me" {
			fresh = append(fresh, a)
			continue
		}
		j.advised.refuses = true
		about, text := j.about(&a)
		if i := slices.Index(j.advised.stands[about], text); i >= 0 {
			j.advised.stands[about] = slices.Delete(j.advised.stands[about], i, i+1)
			j.advised.refusals = append(j.advised.refusals, refusal(&a))
			repeated++
		} else {
			fresh = append(fresh, a)
		}
		next[about] = append(next[about], text)
	}
	for about, texts := range next {
		j.advised.stands[about] = texts
	}
	return fresh, repeated
}

// refusal is the event that answers an act.
func refusal(a *act) *line {
	l := &line{word: "event", name: "refused", flags: []string{"derived"}}
	for _, f := range strings.Fields(a.what) {
		if key, value, _ := strings.Cut(f, "="); value != "" && key != "refused" && key != "locality" {
			l.fields = append(l.fields, field{key, value})
		}
	}
	l.fields = append(l.fields, field{"why", "watched"})
	return l
}

// about is what an act is about, and what it says but for the numbers of its reason, with since when the
// handles that it names are in use.
func (j *judge) about(a *act) (about, text string) {
	l := refusal(a)
	node, of := l.get("node"), []string{"job=" + l.get("job"), "stage=" + l.get("stage")}
	switch a.verb {
	case "start", "speculate":
		about = "starts on " + node
	case "sleep", "wake", "drain":
		about = "power of " + node
	default:
		about = a.verb + " " + strings.Join(of, " ")
	}
	cause, _, _ := strings.Cut(a.why, ":")
	cause, _, _ = strings.Cut(cause, " job ")
	return about, fmt.Sprint(a.verb, " ", a.what, " ", cause, j.advised.since["node"+node], " ", j.advised.since["job"+l.get("job")])
}
