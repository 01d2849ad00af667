package lab

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/studies/scenario"
)

// traces is the folder of recorded workloads, $SLACKLINE_TRACES or one beside the project. They are no part of it.
func traces() string {
	if dir := os.Getenv("SLACKLINE_TRACES"); dir != "" {
		return dir
	}
	return filepath.Join("..", "..", "..", "..", "shared", "data")
}

// BenchmarkDay plays the day FB-2010 of SWIM: 24,442 jobs, 8.08 million maps of 128 MB.
//
// Where the time goes under fifo (go test -bench Day/fifo -benchtime 1x -cpuprofile; shares vary by some points):
//
//	28 %  the world's Next: the event queue 8, ends of attempts 10, arrivals with the places of input 6
//	21 %  the follower and the report: 5 of it the report, 6 one cache miss for the record of an attempt that ends
//	19 %  Decide: first in order 3, the nearest open task 6, booking the start on the records of node, job and queues 5
//	14 %  the ledger's Apply: ends 8, starts 3
//	12 %  Enact: checks, the draw of the task's time, its entry in the queue
//	 3 %  garbage collection
//
// No function has more than 6 % of its own. Without the garbage collector a task costs some 9,250
// instructions (Cachegrind, the first 2,500 jobs): 3,410 in the simulator, 2,840 in the ledger, 1,240
// in the follower and the report, 1,200 in policy, loop and package truth; the collector adds 850. One
// function with one book, which knows fifo alone, without a report, failures or an answer to anybody,
// needs 2,620 and is as much faster. So it is instructions that count, and they are spread over some
// 130 functions, none above 4.5 %. They lie on more code than a processor's first cache for
// instructions holds, so the sinks have turns of their own (later.go) and are shown many
// instants at once: 206 misses of that cache for each task, 326 without. Between the start of a task and its
// end others go through more memory than the second cache holds, so 11 lines of 64 bytes have to be
// read again for each task: its records in the world, the book and the follower, those beside them in
// lists, the stage's arrays. That is what records have to become smaller for.
//
// What was tried to little or no effect: the three records of a task in one, copies of attempts for
// sinks instead of pages (1.4 % more instructions), entries of the event queue that come later in
// chunks of a slot instead of lists (1 % more), larger pages of memory (3 %), vectors added and
// compared by calls instead of in place (less code in a round, and 4 % more time), the next beat kept
// as nodes get room instead of looked for again (0.4 %), less frequent garbage collection (GOGC=400:
// 5 % of the instructions; GOGC=300: no less time, 510 MB instead of 310), lists of a stage's attempts
// from which nothing is unlinked (neighbours are spared, and as much is read when a list is sifted), open
// tasks by bit with the lists of places one behind the other and rankings searched without branches (9 %
// fewer branches mispredicted under fair and 8 % fewer misses of the first cache, 2 % more instructions,
// no less time). By the profile of this very
// day the compiler takes 8 to 10 % of the instructions off (make pgo), and 7 to 9 % of the time. Under
// fair the keys of the order are 10 %, as each start and end moves a job in its pool, and the pool
// where there are others.
func BenchmarkDay(b *testing.B) {
	file, err := filepath.Abs(filepath.Join(traces(), "swim", "FB-2010_samples_24_times_1hr_0.tsv"))
	if err != nil {
		b.Fatal(err)
	}
	if _, err := os.Stat(file); err != nil {
		b.Skipf("the trace is not there: %v", err)
	}
	for _, name := range []string{"fifo", "fair", "edf-p", "fifo with a journal"} {
		policy, recorded := strings.CutSuffix(name, " with a journal")
		journal := ""
		if recorded {
			journal = os.DevNull
		}
		b.Run(name, func(b *testing.B) {
			s, err := scenario.Read("fb-2010.yaml", fmt.Appendf(nil, `
cluster: {nodes: 600, racks: 30, map_slots: 6, reduce_slots: 2, heartbeat: 3s, replicas: 3}
workload: {trace: {format: swim, file: %q, deadlines: {share: 1}}}
`, file))
			if err != nil {
				b.Fatal(err)
			}
			tasks, events := int64(0), int64(0)
			b.ReportAllocs()
			for range b.N {
				r, err := Run(context.Background(), Cell{Scenario: "fb-2010", Policy: policy, Seed: 1, World: Simulated(s.Sim(1)), Journal: journal})
				if err != nil {
					b.Fatal(err)
				}
				tasks += r.Summary.Tasks
				events += r.Summary.Events
			}
			b.ReportMetric(float64(tasks)/b.Elapsed().Seconds(), "tasks/s")
			b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
