package process

import (
	"os"
	"sync"

	"github.com/slackline/slackline/units"
)

// Usage is what families have taken that have ended.
type Usage struct {
	Families int
	Grouped  int // those that had a cgroup of their own
	// processor time of processes that this one cannot wait for, so that the system's sum of its
	// children lacks them
	Unwaited units.Duration
	Memory   units.Bytes // the most that one family had at a time; 0: not known
	Counted  Counted     // how that was found out
}

// Counted says how memory is counted.
type Counted string

// The ways to count the memory of a family, the best first.
const (
	// by the kernel, to the byte, with what the kernel keeps of files that the family read or wrote
	ByKernel Counted = "cgroup"
	// by a look now and then at what no file backs: what is taken between two looks is not seen
	ByLooks   Counted = "looks"
	ByLargest Counted = "largest" // by the kernel, of the family's largest process alone, with its program
)

// add adds what another family took.
func (u *Usage) add(other Usage) {
	u.Families += other.Families
	u.Grouped += other.Grouped
	u.Unwaited += other.Unwaited
	if other.Memory > u.Memory {
		u.Memory, u.Counted = other.Memory, other.Counted
	}
}

// Tally sums up what families take that end while it counts. Like the system's own sum of the
// children of a process it counts those of the whole process, whoever started them.
type Tally struct{ sum Usage }

var tallies = struct {
	lock sync.Mutex
	set  map[*Tally]bool
}{set: map[*Tally]bool{}}

// StartTally starts to count.
func StartTally() *Tally {
	t := &Tally{}
	tallies.lock.Lock()
	defer tallies.lock.Unlock()
	tallies.set[t] = true
	return t
}

// Stop stops counting and returns the sum.
func (t *Tally) Stop() Usage {
	tallies.lock.Lock()
	defer tallies.lock.Unlock()
	delete(tallies.set, t)
	return t.sum
}

func tell(u Usage) {
	tallies.lock.Lock()
	defer tallies.lock.Unlock()
	for t := range tallies.set {
		t.sum.add(u)
	}
}

// waited is the processor time of a command that has ended, and of those below it that were waited for.
func waited(state *os.ProcessState) units.Duration {
	if state == nil {
		return 0
	}
	return units.Duration(state.UserTime() + state.SystemTime())
}
