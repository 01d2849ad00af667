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
// Where the time goes under fifo (go test -bench Day/fifo -benchtime 1x -cpuprofile, built with
// -pgo of the command; shares vary by some points):
//
//	25 %  the world's Next: ends of attempts 14, of them the event queue 5; arrivals with the places of input 7
//	25 %  Decide: first in order 4, the nearest open task 7, booking the start on the records of node, job and queues 7
//	18 %  Enact: checks, the attempt's records, the draw of the task's time, its entry in the queue
//	16 %  the follower and the report: 7 of it the report
//	12 %  the ledger's Apply: starts and ends
//	 1 %  garbage collection
//
// No function has more than 7 % of its own. A task costs some 6,360 instructions without the garbage
// collection (Cachegrind, the first hour): 1,930 in the simulator, 1,760 in the ledger, 840 in the
// follower and the report, 950 in policy, loop and package truth. One function with one book, which
// knows fifo alone, without a report, failures or an answer to anybody, is three times as fast. So it is
// instructions that count, and they are spread over some 130 functions. Cachegrind sees 133
// misses of the first cache for instructions for each task, but they seem to cost little: 8 KB of code
// more in each round cost some 5 % beside the time to run it. Of the second cache a task misses 6 lines:
// descriptions and records in the stage's arrays, which are read in no order.
//
// What was tried to little or no effect: the three records of a task in one, copies of attempts for
// sinks instead of pages (1.4 % more instructions), larger pages of memory (0 to 3 %), vectors added and
// compared by calls instead of in place (less code in a round, and 4 % more time), the next beat kept
// as nodes get room instead of looked for again (0.4 %), less frequent garbage collection (GOGC=200:
// no less time on two processors), lists of a stage's attempts from which nothing is unlinked (neighbours
// are spared, and as much is read when a list is sifted), rankings searched without branches (1 % under
// fair), starts filled in where they lie in the plan (0.3 %), a start that world and book settle in one
// call (2.6 %, for another form of the journal), no lists at all of a node's and a stage's attempts, which
// their tasks know (0.8 % fewer instructions, no less time), sinks shown each round at once (1 % more
// instructions, the same time on one processor), digits of the journal by a table of a thousand and its
// line numbers counted up in place (5 % of what a journal takes). At 10,000 nodes a task takes 9 % more
// instructions, and misses the second cache 27 times where it has 2 MB: copies of events 5, the four records
// of an attempt some 8, those of its node some 4. By the profile of this very day the compiler takes 8 to 10 % of the
// instructions off (make pgo), and 7 to 9 % of the time; to take it again after 87 changes gave 0.9 %. Under
// fair the keys of the order are 15 %, as each start and end moves a job in its pool, and the pool where there
// are others.
func BenchmarkDay(b *testing.B) {
	file, err := filepath.Abs(filepath.Join(traces(), "swim", "FB-2010_samples_24_times_1hr_0.tsv"))
	if err != nil {
		b.Fatal(err)
	}
	if _, err := os.Stat(file); err != nil {
		b.Skipf("the trace is not there: %v", err)
	}
	for _, name := range []string{"fifo", "fair", "edf-p", "promise", "fifo with a journal"} {
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
