package profile

import (
	"math"
	"slices"

	"github.com/slackline/slackline/workload"
)

// Courses are kept of the last jobs, so that who models how jobs get on can learn it from stored runs.
const (
	courseSteps = 64
	mostCourses = 8 // of a stage
)

// A Course is how a stage of a job got on: in each step of time since the job came, tasks that were done and
// seconds of slots that it took.
type Course struct {
	Stage workload.Stage `json:"stage"`
	Tasks int            `json:"tasks"`
	Step  float64        `json:"step"` // seconds
	Done  []float64      `json:"done"` // as long as
	Used  []float64      `json:"used"`
}

// Add takes in an attempt by the seconds since the job came at which it began and ended, and how many tasks it has
// done: 1, or 0. Where it ends beyond the last step, all steps become twice as long.
func (c *Course) Add(began, ended, done float64) {
	if !(began >= 0 && began <= ended && ended < mostAmount) {
		return
	}
	for c.Step = max(c.Step, 1); ended >= courseSteps*c.Step; c.Step *= 2 {
		c.Done, c.Used = pairs(c.Done), pairs(c.Used)
	}
	last := int(ended / c.Step)
	for len(c.Done) <= last {
		c.Done, c.Used = append(c.Done, 0), append(c.Used, 0)
	}
	c.Done[last] += done
	for i := int(began / c.Step); i <= last; i++ {
		at := float64(i) * c.Step
		c.Used[i] += min(ended, at+c.Step) - max(began, at)
	}
}

// pairs adds up each two of a list, in place.
func pairs(list []float64) []float64 {
	sums := list[:0]
	for two := range slices.Chunk(list, 2) {
		sum := two[0]
		if len(two) == 2 {
			sum += two[1]
		}
		sums = append(sums, sum)
	}
	return sums
}

// Until returns the tasks that were done until so many seconds after the job came, and the seconds of slots; what
// is in a step is spread evenly over it.
func (c *Course) Until(seconds float64) (done, used float64) {
	for i := range c.Done {
		part := min(1, seconds/c.Step-float64(i))
		if !(part > 0) {
			break
		}
		done += float64(part * c.Done[i])
		used += float64(part * c.Used[i])
	}
	return done, used
}

// Follow takes in the course of a stage of a job that has ended.
func (c *Class) Follow(of Course) {
	c.Courses = append(c.Courses, of)
	n := 0
	for i := len(c.Courses) - 1; i >= 0; i-- {
		if c.Courses[i].Stage == of.Stage {
			if n++; n > mostCourses {
				c.Courses = slices.Delete(c.Courses, i, i+1)
			}
		}
	}
}

// wrong returns the first field that cannot be and why, both empty if all can.
func (c *Course) wrong() (what, why string) {
	switch {
	case !(c.Step >= 1 && c.Step < mostAmount):
		return "step", "a step has a second or more"
	case c.Tasks < 1:
		return "tasks", "there are none"
	case len(c.Done) != len(c.Used) || len(c.Done) > courseSteps:
		return "done", "it has as many steps as used has, at most 64"
	}
	for i := range c.Done {
		if !(c.Done[i] >= 0 && c.Used[i] >= 0) || math.IsInf(c.Done[i]+c.Used[i], 1) {
			return "done", "tasks and seconds must be 0 or more"
		}
	}
	return "", ""
}
