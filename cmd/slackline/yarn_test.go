//go:build !windows

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/worlds/yarn/wire"
	"github.com/slackline/slackline/internal/worlds/yarn/yarnfake"
)

// served is a process that schedules a cluster.
type served struct {
	*terminal
	address string
	watch   bool // so its ResourceManager says
}

func (s *shell) serves(args ...string) *served {
	s.t.Helper()
	o := s.elsewhere("listens at", append([]string{"yarn", "serve", "--listen", "127.0.0.1:0"}, args...)...)
	o.lock.Lock()
	defer o.lock.Unlock()
	return &served{o, regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(o.said), slices.Contains(args, "--watch")}
}

// attach begins a session of a ResourceManager with one node, and one application that claims a deadline and
// waits at its submission, or else runs; where nothing is to be said of one it says nothing.
func (o *served) attach(ctx context.Context, apps ...*wire.Application) func(*wire.Event) {
	o.t.Helper()
	_, say := o.session(ctx, apps...)
	return say
}

// session is attach for who reads what that process answers.
func (o *served) session(ctx context.Context, apps ...*wire.Application) (yarnfake.Stream, func(*wire.Event)) {
	o.t.Helper()
	secret := bytes.TrimSpace([]byte(o.read("data/yarn/secret")))
	x, err := yarnfake.Attach(ctx, o.address, secret, &wire.Hello{Protocol: wire.Protocol, Version: "9", Hadoop: "3.5.0", Cluster: "c1", Life: "1"})
	if err != nil {
		o.t.Fatal(err)
	}
	next, ms := int64(1), submitted+100_000
	state := &wire.Snapshot{Next: next, TimeMs: ms, Mode: wire.Mode_MODE_STOCK, Applications: apps,
		Nodes: []*wire.Node{{Name: "n1", Rack: "/r1", Resources: map[string]int64{"memory-mb": 8192, "vcores": 8}}}}
	if o.watch {
		state.Mode = wire.Mode_MODE_WATCH
	}
	say := func(m *wire.AttachRequest) {
		if err := x.Send(m); err != nil {
			o.t.Error(err)
		}
	}
	say(&wire.AttachRequest{Says: &wire.AttachRequest_Snapshot{Snapshot: state}})
	return x, func(e *wire.Event) {
		ms += 100
		say(&wire.AttachRequest{Says: &wire.AttachRequest_Events{Events: &wire.Events{First: next, TimeMs: ms, Events: []*wire.Event{e}}}})
		next++
	}
}

// submitted is when the jobs of these clusters were, in milliseconds.
var submitted = time.Now().UnixMilli()

// hurried is an application whose deadline is half an hour away.
func hurried(id int) *wire.Application {
	return &wire.Application{Id: fmt.Sprintf("application_1_%04d", id), Name: "count", Type: "MAPREDUCE", Tags: []string{"in:1800"},
		SubmitTimeMs: submitted + int64(id), Master: map[string]int64{"memory-mb": 1024, "vcores": 1}}
}

// Who runs it is told who places work, what becomes of jobs, and that the cluster is gone. SIGTERM is how it
// ends well.
func TestYarnServe(t *testing.T) {
	s := newShell(t, nil)
	o := s.serves("--policy", "edf-p", "--journal", "j")
	ctx, cut := context.WithCancel(context.Background())
	defer cut()
	say := o.attach(ctx, hurried(1))
	o.until("the ResourceManager of the cluster c1 is attached (Hadoop 3.5.0, plug-in 9)")
	o.until(`job "application_1_0001": count, due in`)
	say(&wire.Event{What: &wire.Event_Mode{Mode: wire.Mode_MODE_OURS}})
	o.until("Slackline places work")
	say(&wire.Event{What: &wire.Event_ApplicationEnd{ApplicationEnd: &wire.ApplicationEnd{Id: "application_1_0001", End: wire.End_END_SUCCEEDED}}})
	o.until(`job "application_1_0001": committed`)

	// Another one is fenced off, by the state and by the address.
	s.answers(1, "another process schedules a cluster with the state in", "yarn", "serve", "--listen", "127.0.0.1:0")
	s.answers(1, "another process listens at "+o.address, "yarn", "serve", "-q", "--state", "other", "--listen", o.address)

	cut()
	o.until("the plug-in is gone: the ResourceManager has stopped, or another one serves")
	if err := o.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	o.ends(0)
	s.answers(0, "", "replay", "j")
}

// Another command of the same user has it yield, watch and take over; it hears of it when the cluster says so.
func TestYarnModes(t *testing.T) {
	s := newShell(t, nil)
	s.answers(3, "no process schedules a cluster; start one with slackline yarn serve", "yarn", "yield")
	o := s.serves("--policy", "edf-p")
	ctx, cut := context.WithCancel(context.Background())
	defer cut()
	x, say := o.session(ctx)
	deaf := make(chan bool, 1)
	go func() {
		for {
			m, err := x.Recv()
			switch {
			case err != nil:
				return
			case m.GetMode() != wire.Mode_MODE_UNSPECIFIED && len(deaf) == 0:
				say(&wire.Event{What: &wire.Event_Mode{Mode: m.GetMode()}})
			}
		}
	}()
	o.until("Slackline places work")
	s.answers(0, "the cluster's own scheduler places work", "yarn", "yield")
	o.until("the cluster's own scheduler places work")
	s.answers(0, "Slackline places work", "yarn", "take-over", "--run", "1")
	s.answers(0, "Slackline places work", "yarn", "take-over")
	s.answers(0, "and Slackline watches", "yarn", "watch")
	o.until("and Slackline watches")
	s.answers(3, "run 9 schedules no cluster, or has ended", "yarn", "yield", "--run", "9")
	s.answers(3, "no run is accepting jobs", "close", "--run", "1")
	deaf <- true
	s.answers(3, "run 1: the cluster has not said so within 5s", "yarn", "take-over")
	if err := o.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	o.ends(0)
	s.answers(3, "no process schedules a cluster", "yarn", "watch")
}

// What was promised, and since when times count, the next process knows, also if this one was killed.
func TestYarnServeAgain(t *testing.T) {
	s := newShell(t, nil)
	o := s.serves("--policy", "dc", "--slot", "1GB", "--journal", "j.1")
	ctx, cut := context.WithCancel(context.Background())
	defer cut()
	say := o.attach(ctx)
	say(&wire.Event{What: &wire.Event_Mode{Mode: wire.Mode_MODE_OURS}})
	o.until("Slackline places work")
	state := s.read("data/yarn/state.json")
	if err := o.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-o.ended

	// Since when times count stays, and both journals say it. The second process is told of an older job.
	next := s.serves("--policy", "dc", "--journal", "j.2")
	ctx, cutAgain := context.WithCancel(context.Background())
	defer cutAgain()
	next.attach(ctx, hurried(1))
	next.until("application_1_0001")
	if again := s.read("data/yarn/state.json"); again != state || !strings.Contains(state, "origin") {
		t.Errorf("the state was\n%s\nand is\n%s", state, again)
	}
	if err := next.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	next.ends(0)
	if first, second := s.header("j.1").World.Origin, s.header("j.2").World.Origin; first == "" || first != second {
		t.Errorf("the journals count times from %q and %q", first, second)
	}
}

// Jobs of a cluster are listed as those of this machine are: what became of them and of their deadlines, and which
// are left to the next process, that continues them.
func TestYarnJobs(t *testing.T) {
	s := newShell(t, nil)
	ended := func(id string, how wire.End) *wire.Event { // a minute after its submission, and told later
		return &wire.Event{What: &wire.Event_ApplicationEnd{ApplicationEnd: &wire.ApplicationEnd{Id: id, End: how, Diagnostics: "it was too large",
			EndedMs: submitted + 60_000}}}
	}
	stop := func(o *served) {
		if err := o.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		o.ends(0)
	}
	o := s.serves("--policy", "edf-p")
	ctx, cut := context.WithCancel(context.Background())
	defer cut()
	say := o.attach(ctx, hurried(1), hurried(2), hurried(3))
	say(&wire.Event{What: &wire.Event_Mode{Mode: wire.Mode_MODE_OURS}})
	say(ended("application_1_0001", wire.End_END_SUCCEEDED))
	say(ended("application_1_0002", wire.End_END_FAILED))
	o.until(`job "application_1_0002": failed`)
	for !strings.Contains(s.must(0, "jobs"), "application_1_0003") { // rows are written now and then
		time.Sleep(20 * time.Millisecond)
	}
	s.answers(3, "the job is one of a Hadoop cluster; yarn application -kill, with its name, ends it", "cancel", "application_1_0003")
	stop(o)
	list := s.must(0, "jobs")
	for _, want := range []string{`application_1_0001 +count +edf-p +finished .* 1:00 min .*met by 29:00 min`, `application_1_0002 +count +edf-p +failed .*it was too large`,
		`application_1_0003 +count +edf-p +interrupted .*Slackline stopped`} {
		if !regexp.MustCompile(want).MatchString(list) {
			t.Errorf("want %s in\n%s", want, list)
		}
	}
	if text := s.must(0, "show", "application_1_0001"); !strings.Contains(text, "deadline   30:00 min after submission: met") || strings.Contains(text, "output") {
		t.Errorf("got\n%s", text)
	}

	next := s.serves("--policy", "edf-p")
	again, cutAgain := context.WithCancel(context.Background())
	defer cutAgain()
	say = next.attach(again, hurried(3), hurried(4))
	say(ended("application_1_0003", wire.End_END_SUCCEEDED))
	next.until(`job "application_1_0003": committed`)
	// The cluster has attached again, and does not know the fourth any more.
	cutAgain()
	next.until("the plug-in is gone")
	last, cutLast := context.WithCancel(context.Background())
	defer cutLast()
	next.attach(last, hurried(5))
	next.until("application_1_0005")
	stop(next)
	list = s.must(0, "jobs")
	for _, want := range []string{`application_1_0003 +count +edf-p +finished`, `application_1_0003 +count +edf-p +resumed`,
		`application_1_0004 +count +edf-p +killed`} {
		if !regexp.MustCompile(want).MatchString(list) {
			t.Errorf("want %s in\n%s", want, list)
		}
	}
}

// What is wrong is said in a sentence, before anything begins.
func TestYarnServeFlags(t *testing.T) {
	s := newShell(t, map[string]string{"empty": "\n", "data/x": "", "bad/state.json": "{", "keyless/ca.pem": "x"})
	for args, want := range map[string]string{
		"--listen 0.0.0.0:7447":         `--listen is "0.0.0.0:7447"; the stream is not encrypted, so it has to stay on this machine: 127.0.0.1:PORT; --tls encrypts it`,
		"--listen 7447":                 `--listen is "7447", it must be an address and a port, such as 127.0.0.1:7447`,
		"--policy fifo,fair":            "--policy: a cluster has one policy, not 2",
		"--policy fewest-local-first":   `--policy: policy "fewest-local-first", character 1: there is no policy or part "fewest-local-first"`,
		"--count yarn.io/gpu":           "--count needs --slot none",
		"--slot none --count a,b,c,d,e": "--count names 5 resources; at most 4 count besides memory and cores",
		"--slot 0":                      `--slot is "0", it must be an amount of memory such as 1GB, or memory and cores such as 1GB,1`,
		"--shares 3":                    `--shares is "3", it must be two whole numbers such as 3:1, the first of them at least 1`,
		"--masters x":                   `--masters is "x", it must be an amount of memory such as 1GB, or memory and cores such as 1GB,1`,
		"--heartbeat 0s":                `--heartbeat is "0s", it must be a span above 0, such as 1s`,
		"--secret nothing":              "the secret cannot be read",
		"--claims empty":                "empty:",
		"--tls nowhere":                 "--tls: open nowhere/ca.pem: no such file or directory",
		"--tls keyless":                 "--tls: keyless/ca.pem holds no certificate",
		"--secret empty":                "empty holds no secret: it is empty",
	} {
		s.answers(2, want, append([]string{"yarn", "serve"}, strings.Fields(args)...)...)
	}
	s.answers(1, "bad/state.json cannot be read: unexpected end of JSON input; remove it to start again", "yarn", "serve", "--state", "bad")
}

// With the profile of a Hadoop history the first job that a process schedules is promised its deadline.
func TestServeFromHadoop(t *testing.T) {
	s := newShell(t, map[string]string{"a.jhist": hadoopHistory("1_0001", 0)})
	s.must(0, "profile", "learn", "a.jhist", "--to", "hadoop.json")
	s.must(0, "profile", "import", "hadoop.json")
	o := s.serves("--policy", "rtmr")
	ctx, cut := context.WithCancel(context.Background())
	defer cut()
	job := hurried(1)
	job.Name = "words"
	say := o.attach(ctx, job)
	say(&wire.Event{What: &wire.Event_Mode{Mode: wire.Mode_MODE_OURS}})
	o.until(`job "application_1_0001": its deadline is promised`)
	if err := o.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	o.ends(0)
}

// What a policy that watches has advised is set beside what the cluster did: one job of two maps, of which the
// cluster's own scheduler starts one where the policy would, after a container of a job that asks for nothing.
func TestYarnCompare(t *testing.T) {
	s := newShell(t, map[string]string{"text": "no journal\n", "one.yaml": "cluster: {nodes: 1}\nworkload: {jobs: [{id: a, maps: 1, map_time: 1s}]}\n"})
	o := s.serves("--policy", "edf-p", "--watch", "--journal", "j")
	ctx, cut := context.WithCancel(context.Background())
	defer cut()
	say := o.attach(ctx, hurried(1), hurried(2))
	o.until("the cluster's own scheduler places work, and Slackline watches")
	box := func(app, id int, prio int32) *wire.Event {
		return &wire.Event{What: &wire.Event_Container{Container: &wire.Container{Id: fmt.Sprint("c", id), Application: hurried(app).Id, Attempt: 1, Priority: prio, Node: "n1",
			Resources: map[string]int64{"memory-mb": 1024, "vcores": 1}, Locality: wire.Locality_LOCALITY_OFF_SWITCH}}}
	}
	asks := func(prio, n int32) *wire.Event {
		return &wire.Event{What: &wire.Event_Asks{Asks: &wire.Asks{Application: hurried(1).Id, Attempt: 1, Rows: []*wire.Ask{
			{Priority: prio, Place: "*", Count: n, Resources: map[string]int64{"memory-mb": 1024, "vcores": 1}}}}}}
	}
	beat := &wire.Event{What: &wire.Event_Heartbeats{Heartbeats: &wire.Names{Names: []string{"n1"}}}}
	for _, e := range []*wire.Event{asks(0, 1), beat, box(1, 1, 0), asks(0, 0), asks(20, 2), beat, box(2, 2, 0), box(1, 3, 20), asks(20, 1), box(1, 4, 20), asks(20, 0)} {
		say(e)
	}
	for _, id := range []string{"c3", "c4", "c1"} {
		say(&wire.Event{What: &wire.Event_Completion{Completion: &wire.Completion{Container: id, Cause: wire.Cause_CAUSE_EXITED}}})
	}
	say(&wire.Event{What: &wire.Event_ApplicationEnd{ApplicationEnd: &wire.ApplicationEnd{Id: hurried(1).Id, End: wire.End_END_SUCCEEDED}}})
	o.until("committed")
	cut()
	o.until("the plug-in is gone: the ResourceManager has stopped, or another one serves")
	if err := o.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if o.ends(0); strings.Contains(o.said, "disagree") {
		t.Errorf("got\n%s", o.said)
	}

	text := s.must(0, "yarn", "compare", "j")
	for _, want := range []string{`^edf-p watched for .*, and the cluster's own scheduler started 4 containers`, `as advised +3 +75.0 %`,
		`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +n1 +application_1_0002 master +application_1_0001 map +\S`, `admitted +2 +2 +1`, `stock +2 +1 +2`, `edf-p, simulated +1 +1 +1`, `; 1 job did not finish`} {
		if !regexp.MustCompile(`(?m)` + want).MatchString(text) {
			t.Errorf("want %s in\n%s", want, text)
		}
	}
	var c struct {
		Schema, Policy string
		Starts         map[string]int
		Simulated      struct{ World string }
	}
	answer := []byte(s.must(0, "yarn", "compare", "j", "--policy", "fifo", "-o", "json", "--differences", "0"))
	var has, schema struct {
		Required   []string
		Properties map[string]any
	}
	if err := errors.Join(json.Unmarshal(answer, &has.Properties), json.Unmarshal([]byte(s.must(0, "schema", "shadow")), &schema)); err != nil {
		t.Fatal(err)
	}
	for _, key := range schema.Required {
		if _, is := has.Properties[key]; !is {
			t.Errorf("there is no %q, which the schema requires", key)
		}
	}
	for key := range has.Properties {
		if schema.Properties[key] == nil {
			t.Errorf("the schema has no %q", key)
		}
	}
	if err := json.Unmarshal(answer, &c); err != nil ||
		c.Schema != "slackline/shadow/v1" || c.Policy != "fifo" || c.Starts["same"] != 3 || c.Simulated.World != "sim" {
		t.Errorf("%v: %+v", err, c)
	}
	s.answers(2, "x: there is no such file", "yarn", "compare", "x")
	s.answers(2, `text:1: it begins with "no journal`, "yarn", "compare", "text")
	s.answers(2, `--policy: policy "edfp", character 1: there is no policy or part "edfp"`, "yarn", "compare", "j", "--policy", "edfp")
	s.answers(2, "--differences is -1, it must be 0 or more", "yarn", "compare", "j", "--differences", "-1")
	s.must(0, "simulate", "--policy", "fifo", "--seed", "1", "--journal", "other", "one.yaml")
	s.answers(2, "other: no policy only watches in it; slackline yarn serve --watch --journal FILE records such a journal", "yarn", "compare", "other")
}
