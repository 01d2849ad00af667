package estimate

import (
	"fmt"
	"math"
	"strconv"

	"github.com/slackline/slackline/sched"
)

// What those who test deadlines say alike.
var (
	// Promised lets a job in whose deadline is kept. Who comes later may overtake it, within the
	// deadline.
	Promised = &sched.Cause{Name: "promised", Numbers: []string{"its deadline"}, Example: [3]int64{90e9},
		Say: func(r *sched.Said) string {
			if r.Outlook.By == 0 {
				return "accepted: promised by its deadline at " + r.Time(r.A)
			}
			return fmt.Sprintf("accepted: expected to finish by %s as things stand, promised by its deadline at %s", r.Time(int64(r.Outlook.By)), r.Time(r.A))
		}}
	// Likely lets a job in whose deadline is kept with a probability. The evidence is its risk; and of each
	// promise that it puts at more risk, from what to what.
	Likely = &sched.Cause{Name: "likely", Numbers: []string{"its deadline"}, Example: [3]int64{90e9},
		Say: func(r *sched.Said) string {
			return fmt.Sprintf("accepted: promised by its deadline at %s with %s; as things stand it is %s", r.Time(r.A), Sure(&r.Outlook), Done(r))
		}}
	// NoDeadline lets a job in that asks for none.
	NoDeadline = &sched.Cause{Name: "no-deadline", Text: "it has no deadline: it gets the slots that no promise needs"}
	// CountUnknown lets a job run without a promise of which nobody can tell yet how much it has to
	// do.
	CountUnknown = &sched.Cause{Name: "count-unknown", Numbers: []string{"the stage"}, Example: [3]int64{int64(sched.Reduce)},
		Say: func(r *sched.Said) string {
			return fmt.Sprintf("how many %v tasks it has is not known yet: it runs without a promise", r.Stage(r.A))
		}}
	// NotSlots refuses a job whose tasks take other containers.
	NotSlots = &sched.Cause{Name: "not-slots", Numbers: []string{"the stage"}, Example: [3]int64{int64(sched.Map)},
		Say: func(r *sched.Said) string {
			return fmt.Sprintf("its %v stage takes something other than one slot for each task, and only slots can be promised", r.Stage(r.A))
		}}
	// NoSlots refuses a job that no node could serve.
	NoSlots = &sched.Cause{Name: "no-slots", Numbers: []string{"the stage"}, Example: [3]int64{int64(sched.Reduce)},
		Say: func(r *sched.Said) string { return fmt.Sprintf("it needs %v slots, but no node has one", r.Stage(r.A)) }}
	// TooFewSlots refuses a job that needs more slots at once than there are.
	TooFewSlots = &sched.Cause{Name: "too-few-slots", Numbers: []string{"slots it needs", "slots of the cluster", "the stage"}, Example: [3]int64{9, 4, int64(sched.Reduce)},
		Say: func(r *sched.Said) string {
			return fmt.Sprintf("it needs %s at once, but the cluster has %d", r.Slots(r.A, r.C), r.B)
		}}
	// AloneLate refuses a job that would be late at worst, had it all slots of the cluster.
	AloneLate = &sched.Cause{Name: "alone-late", Numbers: alone, Example: [3]int64{180e9, 240e9, 60e9},
		Say: func(r *sched.Said) string { return aloneLate(r, "at worst") }}
	// AloneLateMean refuses one that would be so by what its tasks take on average.
	AloneLateMean = &sched.Cause{Name: "alone-late-mean", Numbers: alone, Example: [3]int64{180e9, 240e9, 60e9},
		Say: func(r *sched.Said) string { return aloneLate(r, "on average") }}
	// Unbounded refuses a job of a class that holds all kinds of jobs.
	Unbounded = &sched.Cause{Name: "unbounded", Text: "the profile of its class gives no worst case, so no deadline can be promised"}
	// MapsFirst withholds reduces.
	MapsFirst = &sched.Cause{Name: "maps-first", Text: "its reduces wait for its last map"}
	// MapsOver releases them.
	MapsOver = &sched.Cause{Name: "maps-over", Text: "its last map has ended"}
)

// Chance writes the probability that a risk in millionths leaves.
func Chance(risk int64) string {
	step := int64(1000)
	if risk < 10*step {
		step /= 10
	}
	return Part((1e6 - risk) / step * step)
}

// Sure writes the confidence of an outlook.
func Sure(o *sched.Outlook) string { return Chance(int64(sched.Certain - o.Confidence)) }

// Done says when a job is done by what it is told: with its confidence, half of all such jobs, and 90 %.
func Done(r *sched.Said) string {
	o := &r.Outlook
	said := fmt.Sprintf("done by %s with %s", r.Time(int64(o.By)), Sure(o))
	if o.Half != 0 && o.Confidence != sched.Certain/2 {
		said += fmt.Sprintf(", by %s with 50 %%", r.Time(int64(o.Half)))
	}
	if o.Ninety != 0 && o.Confidence != sched.Certain/10*9 {
		said += fmt.Sprintf(", by %s with 90 %%", r.Time(int64(o.Ninety)))
	}
	return said
}

// Part writes a part in millionths: 99 %.
func Part(millionths int64) string {
	return strconv.FormatFloat(float64(millionths)/1e4, 'f', -1, 64) + " %"
}

var alone = []string{"time until its deadline", "time it takes with all slots", "of that, its maps"}

// aloneLate says that a job takes longer than it has, and which part of it takes how much.
func aloneLate(r *sched.Said, how string) string {
	left, takes, maps := r.A, r.B, r.C
	parts := ""
	if maps > 0 && maps < takes {
		parts = fmt.Sprintf(" (its maps %s, its reduces %s)", r.Time(maps), r.Time(takes-maps))
	}
	until := "is in " + r.Time(left)
	switch {
	case left <= 0:
		until = "has passed"
	case r.Time(left) == r.Time(takes):
		until = "is " + r.Time(takes-left) + " before that"
	}
	return fmt.Sprintf("alone on this cluster it takes %s %s%s, and its deadline %s", r.Time(takes), how, parts, until)
}

// MostHolders is how many of those who hold slots a sentence names, and evidence lists.
const MostHolders = 3

// Others stands in evidence for all whom it does not list: At is how many they are.
const Others sched.JobID = math.MinInt32

// Holders says who holds slots of a stage, by the evidence, and until when. A job below 0 is one
// without a promise, and 0 one that has finished.
func Holders(r *sched.Said, stage int64, latest string) string {
	said := ""
	for i, e := range r.Proof {
		if i == MostHolders {
			jobs, slots := int64(0), int64(0)
			for _, more := range r.Proof[i:] {
				if slots += more.Amount; more.Job == Others {
					jobs += int64(more.At)
				} else { // older journals list all
					jobs++
				}
			}
			return said + fmt.Sprintf("; %s hold %s", r.Count(jobs, "more job", "more jobs"), r.Slots(slots, stage))
		}
		who := "what was promised to jobs that have finished"
		switch {
		case e.Job > 0:
			who = r.JobName(e.Job)
		case e.Job < 0:
			who = "what runs without a promise"
		}
		said += fmt.Sprintf("; %s holds %s until %s%s", who, r.Slots(e.Amount, stage), r.Time(int64(e.At)), latest)
	}
	return said
}
