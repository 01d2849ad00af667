package journal

import (
	"strings"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// parseItem is the inverse of AppendItem. What the book chose and the evidence go into the plan's
// arenas. causes are those that are declared, by the catalogue or a policy; one that is not among
// them is known by its name alone.
func parseItem(text string, p *sched.Plan, causes ...*sched.Cause) (sched.Item, error) {
	var it sched.Item
	f := fields{rest: text}
	it.Verb = name(&f, f.word(), sched.Verbs, "verb")
	for f.next() {
		switch f.key {
		case "id":
			it.ID = sched.ItemID(f.int(64))
		case "job":
			it.Job = sched.JobID(f.int32())
		case "stage":
			it.Stage = name(&f, f.value, sched.Stages, "stage")
		case "task":
			it.Task = sched.TaskID(f.int32())
		case "node":
			it.Node = sched.NodeID(f.int32())
		case "attempt":
			it.Attempt = sched.AttemptID(f.int32())
		case "container":
			it.Container = uint8(f.bits(8))
		case "count":
			it.Count = f.int32()
		case "locality":
			it.Locality = name(&f, f.value, sched.Remote+1, "locality")
		case "outcome":
			it.Outcome = name(&f, f.value, sched.Lost+1, "outcome")
		case "group":
			it.Group = f.int32()
		case "at":
			it.At = units.Time(f.int(64))
		case "word":
			it.Outlook.Word = name(&f, f.value, sched.Words, "word")
		case "measured":
			it.Outlook.Measured = f.int32()
		case "confidence":
			it.Outlook.Confidence = f.int32()
		case "by":
			it.Outlook.By = units.Time(f.int(64))
		case "half":
			it.Outlook.Half = units.Time(f.int(64))
		case "ninety":
			it.Outlook.Ninety = units.Time(f.int(64))
		case "chance":
			it.Outlook.Chance = f.int32()
		case "reason":
			cause, numbers, _ := strings.Cut(f.value, ":")
			if cause != sched.OK.String() {
				it.Reason.Cause = sched.CauseNamed(cause, causes)
			}
			if numbers != "" {
				abc := [...]*int64{&it.Reason.A, &it.Reason.B, &it.Reason.C}
				f.value = numbers
				f.each(len(abc), func(i int, part string) { *abc[i] = f.number(part, 64) })
			}
		case "because-job":
			it.Reason.Job = sched.JobID(f.int32())
		case "evidence":
			it.Reason.Evidence.From = int32(len(p.Evidence))
			f.each(len(f.value), func(_ int, part string) {
				n := f.tuple(part, 3)
				p.Evidence = append(p.Evidence, sched.Evidence{Job: sched.JobID(n[0]), At: units.Time(n[1]), Amount: n[2]})
			})
			it.Reason.Evidence.To = int32(len(p.Evidence))
		case "tasks":
			it.Tasks.From = int32(len(p.Bound))
			f.each(len(f.value), func(_ int, part string) {
				task, near, _ := strings.Cut(part, ":")
				p.Bound = append(p.Bound, sched.Bound{Task: sched.TaskID(f.number(task, 32)), Locality: name(&f, near, sched.Remote+1, "locality")})
			})
			it.Tasks.To = int32(len(p.Bound))
		case "attempts":
			it.Attempts.From = int32(len(p.Victims))
			f.each(len(f.value), func(_ int, part string) { p.Victims = append(p.Victims, sched.AttemptID(f.number(part, 32))) })
			it.Attempts.To = int32(len(p.Victims))
		case "held":
			it.Held = true
		case "refused":
			it.Refused = name(&f, f.value, codes, "reason")
		default:
			f.unknown("an item")
		}
	}
	return it, f.err
}

func (f *fields) tuple(part string, n int) []int64 {
	parts := strings.Split(part, ":")
	numbers := make([]int64, n)
	if len(parts) != n {
		f.fail("%s has a part %q, it must have %d numbers between colons", f.key, part, n)
		return numbers
	}
	for i := range parts {
		numbers[i] = f.number(parts[i], 64)
	}
	return numbers
}
