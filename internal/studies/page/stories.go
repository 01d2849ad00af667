package page

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/studies/account"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/units"
)

// statedData are the times at which listed jobs were said to be done: half of all such jobs and the promise.
type statedData struct {
	Job  column `json:"job"`  // position in the list
	At   column `json:"at"`   // when it was said
	Half column `json:"half"` // maybe
	By   column `json:"by"`
}

// story is where the time of a job went, in words: by cause, and one part after another.
type story struct {
	Totals [][2]string `json:"totals"`
	Parts  [][]string  `json:"parts"` // after how long, for how long, what, and who or why
	More   int         `json:"more,omitempty"`
}

// stated adds when a job was said to be done.
func (d *data) stated(to *statedData, j *report.Job, position int64) *statedData {
	list := j.Outlooks
	if list == nil && j.Promised != nil {
		list = []report.Outlook{{At: j.Submitted, Sure: *j.Promised}}
	}
	for _, o := range list {
		if by := max(o.Sure, o.Ninety); by > 0 {
			if to == nil {
				to = &statedData{}
			}
			to.Job.count(position)
			to.At.count(d.ticks(ticksOf(max(0, o.At))))
			to.Half.maybe(d.ticks(ticksOf(o.Half)), o.Half > 0)
			to.By.count(d.ticks(ticksOf(by)))
		}
	}
	return to
}

// How many jobs have their account in a page, of all runs, and how many parts of one are told.
const (
	allStories = 2000
	mostParts  = 16
)

// stories tells where the time of listed jobs went, at most of so many: first of those that were not in time, then of
// those that took longest.
func (d *data) stories(to *runData, run *report.Run, kept []int, books *account.Accountant, most int) {
	if books == nil {
		return
	}
	if kept == nil {
		for i := range run.Jobs {
			kept = append(kept, i)
		}
	}
	took := func(j *report.Job) float64 {
		if j.Finished == nil {
			return 0
		}
		return *j.Finished - j.Submitted
	}
	var positions []int
	for p := range kept {
		positions = append(positions, p)
	}
	slices.SortStableFunc(positions, func(p, q int) int {
		a, b := &run.Jobs[kept[p]], &run.Jobs[kept[q]]
		if x := a.Deadline != nil && !a.Outcome.InTime(); x != (b.Deadline != nil && !b.Outcome.InTime()) {
			if x {
				return -1
			}
			return 1
		}
		return cmp.Compare(took(b), took(a))
	})
	to.Accounts = map[string]*story{}
	for _, p := range positions[:min(most, len(positions))] {
		if a := books.Of(kept[p]); a != nil && run.Jobs[kept[p]].Outcome != report.Refused {
			to.Accounts[strconv.Itoa(p)] = storyOf(a)
		}
	}
}

// storyOf is an account in words.
func storyOf(a *account.Account) *story {
	span := func(x units.Duration) string { return units.Span(x.Seconds()) }
	s := &story{Totals: each.Of(a.Totals(), func(t account.Total) [2]string { return [2]string{span(t.Took), t.Cause.Words()} })}
	all := a.Story()
	for _, c := range all[:min(len(all), mostParts)] {
		s.Parts = append(s.Parts, append([]string{span(c.After), span(c.Took), c.What}, each.Of(c.Why, clip)...))
	}
	s.More = len(all) - len(s.Parts)
	return s
}
