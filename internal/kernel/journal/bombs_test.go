package journal

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
)

// Lines that whole machines could be filled with, were they believed.
const (
	lateHead = `journal {"version":3,"scenario":"s","world":{"bind":false},"policy":"p","seed":1}`
	hugeNode = `event node-up node=1 detail={"node":{"name":"n","rack":1,"class":{"name":"c","speed":1,"capacity":[4611686018427387904,4611686018427387904,0,0,0,0,0,0]}}}`
	twoMaps  = `{"id":"j","class":"c","arrive":0,"soft":9,"deadline":9,"weight":1,"stages":[{"kind":"map","tasks":[{},{}]}],"slow_start":0}`
	arrival  = `event job-arrived job=1 detail={"job":` + twoMaps + `}`
)

// greedy admits and starts what it can, and never gives up.
type greedy struct{ plain }

func (greedy) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	for j := sched.JobID(1); j <= v.Jobs(); j++ {
		p.Admit(j, sched.Outlook{}, sched.Reason{})
	}
	for n := sched.NodeID(1); n <= v.Nodes(); n++ {
		for j := v.First(n, sched.Map, 0); j != 0; j = v.First(n, sched.Map, 0) {
			p.Start(j, sched.Map, n, 1, sched.Remote, sched.Reason{})
		}
	}
}

// endless never stops to ask.
type endless struct{ plain }

func (endless) Decide(_ sched.View, _ []sched.Event, p *sched.Plan) {
	for {
		p.WakeMe(1<<40, sched.Reason{})
	}
}

func TestBombs(t *testing.T) {
	fifo, err := catalog.New("fifo+greedy", queues.Config{})
	if err != nil {
		t.Fatal(err)
	}
	const handle = "line 3: handle 2147483647 comes after 0 events, handles must be dense"
	round := func(events int) string { return fmt.Sprint("round 1 at=0 events=", events) }
	for name, c := range map[string]struct {
		policy sched.Policy
		lines  []string
		want   string
	}{
		"a rack":          {plain{}, []string{round(1), `event demand job=1 stage=map count=1 detail={"demand":[{"Node":0,"Rack":2147483647,"Count":1}]}`}, handle},
		"a node":          {plain{}, []string{round(1), `event demand job=1 stage=map count=1 detail={"demand":[{"Node":2147483647,"Rack":0,"Count":1}]}`}, handle},
		"a negative node": {plain{}, []string{round(1), `event demand job=1 stage=map count=1 detail={"demand":[{"Node":-1,"Rack":0,"Count":1}]}`}, "line 3: a handle is negative, it must be 0 or more"},
		"a node's rack":   {plain{}, []string{round(1), `event node-up node=1 detail={"node":{"name":"n","rack":2147483647,"class":{"name":"c","speed":1,"capacity":[1,0,0,0,0,0,0,0]}}}`}, handle},
		"demand without end": {fifo, []string{round(5), hugeNode, arrival, "event stage-ready derived job=1 stage=map", "event demand job=1 stage=map count=2000000000", "event heartbeat node=1", "plan items=0"},
			"line 7: recorded: heartbeat node=1; now: discrepancy derived job=1 stage=map text=\"demand: demand for less than nothing, or for more than any cluster has; it is cut to that\""},
		"a plan without end": {endless{}, []string{round(1), "event tick", "plan items=1", "item wake-me id=1 at=1099511627776"}, "line 4: the plan now has one more item: wake-me id=2 at=1099511627776"},
		"more than recorded": {greedy{}, []string{round(5), hugeNode, arrival, "event stage-ready derived job=1 stage=map", "event demand job=1 stage=map count=2", "event heartbeat node=1", "plan items=1", "item admit id=1 job=1"},
			"line 8: the plan now has one more item: start id=2 job=1 stage=map node=1 count=1 locality=anywhere"},
		"an amendment": {plain{}, []string{round(1), `event job-amended job=1 detail={"job":` + strings.Replace(twoMaps, `[{},{}]`, "null", 1) + `}`}, "line 3: job \"j\": stage map has no task"},
		"a job behind a node": {plain{}, []string{round(1), `event job-arrived job=1 detail={"job":` + strings.Replace(twoMaps, `"weight":1`, `"weight":0`, 1) +
			`,"node":{"name":"n","rack":1,"class":{"name":"c","speed":1,"capacity":[1,0,0,0,0,0,0,0]}}}`}, "line 3: job \"j\": weight is 0, it must be above 0 and finite"},
	} {
		_, err := again(seal(append(append([]string{lateHead}, c.lines...), "end rounds=1")), c.policy)
		var line *LineError
		if !errors.As(err, &line) || line.Error() != c.want {
			t.Errorf("%s: %v\nwant %s", name, err, c.want)
		}
	}
}

// Handles are dense in the first round already, however large the cluster is.
func TestLargeFirstRound(t *testing.T) {
	const n = slack + 1000
	lines := []string{lateHead, fmt.Sprint("round 1 at=0 events=", n)}
	for i := 1; i <= n; i++ {
		lines = append(lines, fmt.Sprintf(`event node-up node=%d detail={"node":{"name":"n","rack":%d,"class":{"name":"c","speed":1,"capacity":[1,0,0,0,0,0,0,0]}}}`, i, i))
	}
	if _, err := again(seal(append(lines, "plan items=0", "end rounds=1")), plain{}); err != nil {
		t.Error(err)
	}
}

// zeros is /dev/zero.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestReaderOfWhatHasNoEnd(t *testing.T) {
	if _, err := NewReader(zeros{}); err == nil || !strings.HasPrefix(err.Error(), `line 1: it begins with "\x00`) {
		t.Errorf("zeros: %v", err)
	}
	r := &Reader{in: newBuffer(io.MultiReader(strings.NewReader("1 journal "), zeros{})), most: 1 << 20}
	var line *LineError
	if _, err := r.Next(); !errors.As(err, &line) || line.Error() != "line 1: it has more than 1MB, which no line of a journal has" {
		t.Errorf("a line without end: %v", err)
	}
	long := "event " + strings.Repeat("x", 1<<18)
	r = &Reader{in: newBuffer(strings.NewReader(string(seal([]string{long, long})))), most: longest}
	for range 2 {
		if l, err := r.Next(); err != nil || l.Word+" "+l.Rest != long {
			t.Errorf("a long line: %.20s %v", l.Rest, err)
		}
	}
}
