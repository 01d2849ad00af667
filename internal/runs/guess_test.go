package runs

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/engine/input"
)

// What a job of the run reads that has not come yet nobody knows: so nobody says how much it writes.
func TestNoGuessOfWhatHasNotCome(t *testing.T) {
	in := inputs(t, 4000)
	var jobs []*scenario.Job
	for _, x := range [][2]string{{"a", filepath.Join(in, "f00")}, {"b", filepath.Join(in, "out", "a")}} {
		j, err := scenario.ReadJob("w.yaml", fmt.Appendf(nil, "name: %s\napp: wordcount\ninput: %q\noutput: %q\n", x[0], x[1], filepath.Join(in, "out", x[0])))
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, j)
	}
	jobs[1].After = []string{"a"}
	l, err := NewLocal(jobs[1:], Machine{Nodes: 1, MapSlots: 1, ReduceSlots: 1, Block: 400}, time.Now(), jobs[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		reading map[string]int64
		maps    int
	}{{map[string]int64{"a": 4000}, 10}, {map[string]int64{}, 0}} {
		l.reading = c.reading
		splits, err := l.splits(0, nil, true, make([][]input.Split, 1))
		if len(splits) != c.maps || (err == nil) != (c.maps > 0) {
			t.Errorf("%v: %d maps, %v", c.reading, len(splits), err)
		}
	}
}
