package trace

import (
	"strconv"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// shape is the class of a job of which the trace names none, by what is known of it when it comes.
// Its name is made of
//
//	maps     1, 2, 10, 100 or 1000: so many or more, and fewer than the next
//	size     of its largest map: 1KB, 4KB, 16KB and so on by fours: so much or more, and less than the
//	         next; 0 below 1KB; left out where sizes are not known
//	shuffle  none, less (than a fifth of the input), same (up to five times it), more; some where the
//	         input is not known
//
// such as 10x32MB-less. Jobs of a class then cost about the same for a task and for a byte.
func (j *Job) shape(w *workload.Job) string {
	maps, largest := 0, Unknown
	if st := w.Stage(workload.Map); st != nil {
		maps = len(st.Tasks)
		for i := range st.Tasks {
			largest = max(largest, st.Tasks[i].Input)
		}
	}
	known := j.Input >= 0
	if told := j.Stage(workload.Map); told != nil {
		for i := range told.Tasks {
			known = known || told.Tasks[i].Input >= 0
		}
	}
	least := 1
	for _, n := range []int{2, 10, 100, 1000} {
		if maps >= n {
			least = n
		}
	}
	name := strconv.Itoa(least)
	if known {
		size := units.Bytes(0)
		for step := units.KB; step <= largest; step *= 4 {
			size = step
		}
		name += "x" + size.String()
	}
	return name + "-" + j.shuffles(w)
}

// shuffles says how much a job shuffles of what it reads.
func (j *Job) shuffles(w *workload.Job) string {
	shuffle := j.Shuffle
	if shuffle < 0 {
		if reduces := w.Stage(workload.Reduce); reduces != nil {
			shuffle = 0
			for i := range reduces.Tasks {
				shuffle += reduces.Tasks[i].Input
			}
			if shuffle == 0 {
				return "some"
			}
		}
	}
	switch {
	case shuffle <= 0:
		return "none"
	case j.Input < 0:
		return "some"
	case 5*float64(shuffle) < float64(j.Input):
		return "less"
	case float64(shuffle) <= 5*float64(j.Input):
		return "same"
	}
	return "more"
}
