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

// story is where the time of a job went, in words: by cause, and one part after another.
type story struct {
	Totals [][2]string `json:"totals"`
	Parts  [][]string  `json:"parts"` // after how long, for how long, what, and who or why
	More   int         `json:"more,omitempty"`
}

// stated adds when a job was said to be done: its position in the list, when that was said, by when half of such jobs
// are (0 = it was not told), and what was promised.
func (d *data) stated(to *column, j *report.Job, position int64) *column {
	list := j.Outlooks
	if list == nil && j.Promised != nil {
		list = []report.Outlook{{At: j.Submitted, Sure: *j.Promised}}
	}
	for _, o := range list {
		if to == nil {
			to = new(column)
		}
		to.count(position)
		for _, s := range []float64{o.At, o.Half, max(o.Sure, o.Ninety)} {
			to.count(d.ticks(ticksOf(max(0, s))))
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
	// those that were not in time come before all others
	rank := func(p int) float64 {
		j, took := &run.Jobs[kept[p]], 0.0
		if j.Finished != nil {
			took = *j.Finished - j.Submitted
		}
		if j.Deadline != nil && !j.Outcome.InTime() {
			took += farthest.Seconds()
		}
		return -took
	}
	var positions []int
	for p := range kept {
		positions = append(positions, p)
	}
	slices.SortStableFunc(positions, func(p, q int) int { return cmp.Compare(rank(p), rank(q)) })
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
