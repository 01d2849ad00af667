package yarn_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/worlds/yarn"
	"github.com/slackline/slackline/internal/worlds/yarn/wire"
	"github.com/slackline/slackline/internal/worlds/yarn/yarnfake"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// site is a world to which tests attach plug-ins of their own.
type site struct {
	*yarn.World
	t    *testing.T
	conn *grpc.ClientConn

	lock  sync.Mutex
	notes []string
}

func newSite(t *testing.T, cfg yarn.Config) *site {
	s := &site{t: t}
	cfg.Secret, cfg.Version = []byte("shared"), "1.0"
	cfg.Note = func(n string) {
		s.lock.Lock()
		defer s.lock.Unlock()
		s.notes = append(s.notes, n)
	}
	var err error
	if s.World, err = yarn.New(cfg); err != nil {
		t.Fatal(err)
	}
	pipe, server := bufconn.Listen(1<<16), grpc.NewServer(yarn.ServerOptions()...)
	s.Register(server)
	go server.Serve(pipe)
	s.conn, err = grpc.NewClient("passthrough:x", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return pipe.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Stop()
		s.conn.Close()
		server.Stop()
	})
	return s
}

type stream = grpc.BidiStreamingClient[wire.AttachRequest, wire.AttachResponse]

func hello() *wire.Hello {
	return &wire.Hello{Protocol: wire.Protocol, Version: "9", Cluster: "c1", Life: "1"}
}

// attach begins a session as that ResourceManager.
func (s *site) attach(secret string, h *wire.Hello) stream {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s.t.Cleanup(cancel)
	x, err := wire.NewSchedulerServiceClient(s.conn).Attach(ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := yarnfake.Greet(x, []byte(secret), h); err != nil { // it goes on all the same
		_ = x.Send(&wire.AttachRequest{Says: &wire.AttachRequest_Proof{Proof: &wire.Proof{Proof: []byte(secret)}}})
	}
	return x
}

func snapshot(next int64, ms int64) *wire.AttachRequest {
	return &wire.AttachRequest{Says: &wire.AttachRequest_Snapshot{Snapshot: &wire.Snapshot{Next: next, TimeMs: ms, Mode: wire.Mode_MODE_OURS,
		Nodes: []*wire.Node{{Name: "n1", Rack: "/r1", Resources: map[string]int64{"memory-mb": 4096, "vcores": 4}}}}}}
}

func events(first, ms int64, list ...*wire.Event) *wire.AttachRequest {
	return &wire.AttachRequest{Says: &wire.AttachRequest_Events{Events: &wire.Events{First: first, TimeMs: ms, Events: list}}}
}

func beats(names ...string) *wire.Event {
	return &wire.Event{What: &wire.Event_Heartbeats{Heartbeats: &wire.Names{Names: names}}}
}

func (s *site) say(x stream, m *wire.AttachRequest) {
	s.t.Helper()
	if err := x.Send(m); err != nil && !errors.Is(err, io.EOF) {
		s.t.Fatal(err)
	}
}

// next is the kinds of the next batch's events.
func (s *site) next() string {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	b, err := s.Next(ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	return inWords(b)
}

func inWords(b drive.Batch) string {
	var words []string
	for _, e := range b.Events {
		word := e.Kind.String()
		if e.Kind == sched.Control {
			word = e.Control.String()
		}
		words = append(words, word)
	}
	return fmt.Sprintf("%v %s", b.At, strings.Join(words, " "))
}

func (s *site) want(got, want string) {
	s.t.Helper()
	if got != want {
		s.t.Errorf("got  %s\nwant %s", got, want)
	}
}

// refusal is why a stream ended.
func refusal(x stream) string {
	for {
		if _, err := x.Recv(); err != nil {
			return fmt.Sprint(status.Code(err), ": ", status.Convert(err).Message())
		}
	}
}

func TestWhoMayAttach(t *testing.T) {
	s := newSite(t, yarn.Config{})
	s.want(refusal(s.attach("guessed", hello())), "Unauthenticated: the plug-in does not know the secret of this Slackline")
	newer := hello()
	newer.Protocol = 2
	s.want(refusal(s.attach("shared", newer)),
		`FailedPrecondition: the plug-in (release "9") speaks protocol 2 and Slackline 1.0 speaks 1: install the plug-in of this release`)
	nobody := hello()
	nobody.Cluster = ""
	s.want(refusal(s.attach("shared", nobody)), "InvalidArgument: Hello lacks the name of the cluster, of its life, or random bytes")
	s.lock.Lock()
	defer s.lock.Unlock()
	if len(s.notes) != 3 { // of refusals; nobody attached
		t.Errorf("an operator was told %q", s.notes)
	}
}

// A Slackline that does not know the secret does not pass for one that does.
func TestThePluginChecksToo(t *testing.T) {
	s := newSite(t, yarn.Config{})
	x, err := wire.NewSchedulerServiceClient(s.conn).Attach(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := yarnfake.Greet(x, []byte("another"), hello()); err == nil {
		t.Error("the plug-in believes whoever answers")
	}
	_ = x.CloseSend()
	refusal(x)
	s.lock.Lock()
	defer s.lock.Unlock()
	if all := strings.Join(s.notes, "; "); !strings.Contains(all, "it left when it was greeted, as it has another secret") {
		t.Errorf("an operator is told %q", all)
	}
}

func TestOneClusterAtATime(t *testing.T) {
	s := newSite(t, yarn.Config{})
	first := s.attach("shared", hello())
	s.say(first, snapshot(1, 5000))
	s.want(s.next(), "0s resync take-over node-up")
	other := hello()
	other.Cluster = "c2"
	s.want(refusal(s.attach("shared", other)), `FailedPrecondition: Slackline already schedules the cluster "c1", and one at a time`)

	// The same cluster comes again, as its stream is half open: the old session ends, and what it still says
	// is nothing.
	again := s.attach("shared", hello())
	s.want(refusal(first), "Aborted: the cluster has attached again")
	s.want(s.next(), "0s yield")
	s.say(again, snapshot(7, 9000))
	s.want(s.next(), "4s resync take-over node-up")
	s.say(again, events(7, 9500, beats("n1")))
	s.want(s.next(), "4.5s heartbeat")
}

// When the plug-in goes the stock scheduler places work; what is planned meanwhile is void with the next full state.
func TestTheStreamBreaks(t *testing.T) {
	s := newSite(t, yarn.Config{})
	x := s.attach("shared", hello())
	s.say(x, snapshot(1, 5000))
	s.want(s.next(), "0s resync take-over node-up")
	if err := x.CloseSend(); err != nil {
		t.Fatal(err)
	}
	s.want(s.next(), "0s yield")
	if err := s.Enact(&sched.Plan{Items: []sched.Item{{Verb: sched.Start, ID: 1, Job: 1, Node: 1, Count: 1}}}); err != nil {
		t.Fatal(err)
	}
	x = s.attach("shared", hello())
	s.say(x, snapshot(1, 6000))
	s.want(s.next(), "1s resync take-over node-up")
	s.say(x, events(1, 7000, beats("n1")))
	s.want(s.next(), "2s heartbeat")
}

func TestSilenceEndsASession(t *testing.T) {
	s := newSite(t, yarn.Config{Silence: 50 * time.Millisecond})
	x := s.attach("shared", hello())
	s.say(x, snapshot(1, 5000))
	s.want(s.next(), "0s resync take-over node-up")
	s.want(s.next(), "0s yield")
	s.want(refusal(x), "DeadlineExceeded: the plug-in has said nothing for 50ms")
}

// A gap is noticed, nothing behind it is believed, and a snapshot mends it. A clock that goes back stands
// still.
func TestGaps(t *testing.T) {
	s := newSite(t, yarn.Config{})
	x := s.attach("shared", hello())
	s.say(x, events(1, 4000, beats("n1"))) // before any state: nothing
	s.say(x, snapshot(5, 5000))
	s.want(s.next(), "0s resync take-over node-up")
	s.say(x, events(5, 6000, beats("n1"), beats("nobody")))
	s.want(s.next(), "1s heartbeat")
	s.say(x, events(8, 7000, beats("n1")))
	s.say(x, events(9, 7500, beats("n1")))
	s.say(x, snapshot(10, 5500))
	s.want(s.next(), "1s resync node-up")
	s.say(x, events(10, 5600, beats("n1")))
	s.want(s.next(), "1s heartbeat")
	var heard []string
	for len(heard) < 4 {
		m, err := x.Recv()
		if err != nil {
			t.Fatal(err)
		}
		heard = append(heard, fmt.Sprintf("%T", m.Says)+m.GetResync().GetWhy())
	}
	if !slices.Contains(heard, "*wire.AttachResponse_Resyncevents are missing between 7 and 8") {
		t.Errorf("heard %q", heard)
	}
}

// A plug-in with nothing to tell is answered, or it would take Slackline for silent.
func TestBeatsAreAnswered(t *testing.T) {
	s := newSite(t, yarn.Config{})
	x := s.first()
	for ms := range int64(3) {
		s.say(x, events(1, 6000+ms))
	}
	s.say(x, events(1, 7000, beats("n1")))
	s.want(s.next(), "2s heartbeat")
	go s.Next(t.Context()) // which says that the heartbeat was taken in
	answers := 0
	for {
		m, err := x.Recv()
		if err != nil {
			t.Fatal(err)
		}
		if answers++; m.GetBeat().GetSeen() == 2 {
			break
		}
	}
	if answers != 5 {
		t.Errorf("%d answers to a full state, three beats and a heartbeat", answers)
	}
}

// Wake-ups follow the cluster's clock, in its beats.
func TestTicks(t *testing.T) {
	s := newSite(t, yarn.Config{})
	x := s.attach("shared", hello())
	s.say(x, snapshot(1, 5000))
	s.want(s.next(), "0s resync take-over node-up")
	s.WakeAt(2_000_000_000)
	s.say(x, events(1, 6900))
	s.say(x, events(1, 7100))
	s.want(s.next(), "2.1s tick")
}

// Whoever is in charge asks for another mode, and the plug-in says when it is so.
func TestModes(t *testing.T) {
	s := newSite(t, yarn.Config{Mode: wire.Mode_MODE_WATCH})
	x := s.attach("shared", hello())
	s.say(x, snapshot(1, 5000))
	s.want(s.next(), "0s resync take-over node-up")
	for _, want := range []wire.Mode{wire.Mode_MODE_WATCH, wire.Mode_MODE_STOCK} {
		for {
			m, err := x.Recv()
			if err != nil {
				t.Fatal(err)
			}
			if m.GetMode() == want {
				break
			}
		}
		s.Ask(sched.Yield)
	}
	s.say(x, events(1, 6000, &wire.Event{What: &wire.Event_Mode{Mode: wire.Mode_MODE_STOCK}}, beats("n1")))
	s.want(s.next(), "1s yield heartbeat")

	// Who watched was not placing work anyway.
	s = newSite(t, yarn.Config{Mode: wire.Mode_MODE_WATCH})
	x = s.attach("shared", hello())
	watched := snapshot(1, 5000)
	watched.GetSnapshot().Mode = wire.Mode_MODE_WATCH
	s.say(x, watched)
	s.want(s.next(), "0s resync watch node-up")
	s.say(x, events(1, 6000, &wire.Event{What: &wire.Event_Mode{Mode: wire.Mode_MODE_STOCK}}, beats("n1")))
	s.want(s.next(), "1s heartbeat")
	s.say(x, events(3, 7000, &wire.Event{What: &wire.Event_Mode{Mode: wire.Mode_MODE_OURS}}, beats("n1")))
	s.want(s.next(), "2s take-over heartbeat")
}

// A job whose tags make no sense is refused with a sentence before anybody is asked, if it still waits for a
// verdict; else it has no deadline.
func TestSenselessTags(t *testing.T) {
	s := newSite(t, yarn.Config{})
	x := s.attach("shared", hello())
	s.say(x, snapshot(1, 5000))
	s.want(s.next(), "0s resync take-over node-up")
	app := func(id string, held bool) *wire.Event {
		return &wire.Event{What: &wire.Event_Application{Application: &wire.Application{Id: id, Type: "MAPREDUCE", Held: held,
			Tags: []string{"in:soon"}, SubmitTimeMs: 6000}}}
	}
	s.say(x, events(1, 6000, app("a1", true), app("a2", false)))
	s.want(s.next(), "1s job-arrived")
	for {
		m, err := x.Recv()
		if err != nil {
			t.Fatal(err)
		}
		if p := m.GetPlan(); p != nil {
			v := p.Items[0].GetVerdict()
			if v.Application != "a1" || v.Judgement != wire.Judgement_JUDGEMENT_REJECT ||
				v.Sentence != `the tag "in:soon" has no valid time; write in: and the seconds that the job may take` {
				t.Errorf("%v", v)
			}
			break
		}
	}
	c := container("c1", 0)
	c.GetContainer().Application = "a1"
	s.say(x, events(3, 7000, c, &wire.Event{What: &wire.Event_ApplicationEnd{ApplicationEnd: &wire.ApplicationEnd{Id: "a1"}}}, beats("n1")))
	s.want(s.next(), "2s heartbeat")

	m := snapshot(6, 8000) // one that waits while all is told
	m.GetSnapshot().Applications = []*wire.Application{{Id: "a3", Type: "MAPREDUCE", Held: true, Tags: []string{"weight:0"}, SubmitTimeMs: 7500}}
	s.say(x, m)
	s.want(s.next(), "3s resync node-up")
	for {
		m, err := x.Recv()
		if err != nil {
			t.Fatal(err)
		}
		if p := m.GetPlan(); p != nil {
			if v := p.Items[0].GetVerdict(); v.Application != "a3" || v.Judgement != wire.Judgement_JUDGEMENT_REJECT {
				t.Errorf("%v", v)
			}
			break
		}
	}
}

// A job that claims what it may not is refused where it waits, with the word of the operator.
func TestUnlawfulClaims(t *testing.T) {
	s := newSite(t, yarn.Config{Claims: yarn.Claims{"root": {Users: []string{"anna"}}}})
	x := s.attach("shared", hello())
	s.say(x, snapshot(1, 5000))
	s.want(s.next(), "0s resync take-over node-up")
	app := func(id, user string) *wire.Event {
		return &wire.Event{What: &wire.Event_Application{Application: &wire.Application{Id: id, User: user, Queue: "q", Type: "MAPREDUCE", Held: true,
			Tags: []string{"in:600"}, SubmitTimeMs: 6000}}}
	}
	s.say(x, events(1, 6000, app("a1", "ben"), app("a2", "anna")))
	s.want(s.next(), "1s job-arrived")
	for {
		m, err := x.Recv()
		if err != nil {
			t.Fatal(err)
		}
		if p := m.GetPlan(); p != nil {
			v := p.Items[0].GetVerdict()
			if v.Application != "a1" || v.Judgement != wire.Judgement_JUDGEMENT_REJECT ||
				v.Sentence != "user ben may claim neither a deadline nor a weight in the queue q; submit it without" {
				t.Errorf("%v", v)
			}
			return
		}
	}
}

func TestWorldsThatCannotBe(t *testing.T) {
	for _, c := range []yarn.Config{{}, {Secret: []byte("x"), Named: make([]string, 5)}, {Secret: []byte("x"), Slots: &yarn.Split{}}} {
		if _, err := yarn.New(c); err == nil {
			t.Errorf("%+v can be", c)
		}
	}
}

// Who cuts nodes into slots that are too large for them is told so, once.
func TestNodesWithoutASlot(t *testing.T) {
	s := newSite(t, yarn.Config{Slots: &yarn.Split{Slot: units.Vector{units.VCores: 1, units.Memory: int64(units.GB)}, Masters: units.Vector{units.Memory: int64(units.GB)}}})
	x := s.attach("shared", hello())
	m := snapshot(1, 5000)
	for _, name := range []string{"n2", "n3"} {
		m.GetSnapshot().Nodes = append(m.GetSnapshot().Nodes, &wire.Node{Name: name, Resources: map[string]int64{"memory-mb": 1536, "vcores": 4}})
	}
	s.say(x, m)
	s.next()
	want := []string{"node n2 has {vcores:4 memory:~1.5GB}, in which a slot of {vcores:1 memory:1GB} has no room beside {memory:1GB} for ApplicationMasters: no map is placed there"}
	s.lock.Lock()
	defer s.lock.Unlock()
	if !slices.Equal(s.notes[1:], want) { // behind who attached
		t.Errorf("it notes %q", s.notes)
	}
}

// A process that goes on knows what was promised, since when times count, and what is known of classes.
func TestGoesOn(t *testing.T) {
	s := newSite(t, yarn.Config{Origin: time.UnixMilli(1999), Promised: func(app string) bool { return app == "a1" },
		Profiles: []*profile.Class{{Name: "count"}}})
	if at := s.Can().Origin; at != "1970-01-01T00:00:01.999Z" {
		t.Errorf("times count from %q", at)
	}
	x := s.attach("shared", hello())
	m := snapshot(1, 5999)
	m.GetSnapshot().Applications = []*wire.Application{{Id: "a1", Type: "MAPREDUCE", Tags: []string{"in:9"}, SubmitTimeMs: 2999}, {Id: "a2", SubmitTimeMs: 3999}}
	s.say(x, m)
	b, err := s.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.want(inWords(b), "4s resync take-over node-up profile-learned job-arrived job-arrived")
	jobs := b.Events[len(b.Events)-2:]
	if a := jobs[0].Detail.Job; !a.Promised || a.Deadline.Seconds() != 10 || jobs[1].Detail.Job.Promised {
		t.Errorf("promised %v until %v s, and %v", a.Promised, a.Deadline.Seconds(), jobs[1].Detail.Job.Promised)
	}
	s.say(x, snapshot(1, 6999))
	s.want(s.next(), "5s resync node-up") // a book keeps what it knows of classes
	if s.Origin() != time.UnixMilli(1999) {
		t.Errorf("times count from %v", s.Origin())
	}
}
