package yarn

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"io"
	"time"

	"github.com/slackline/slackline/internal/worlds/yarn/wire"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// backlog is how many messages may wait to be read or written before a peer is given up.
const backlog = 1024

// shortestNonce is how many random bytes a peer has to bring.
const shortestNonce = 16

// session is one stream of a plug-in, from its proof to its end.
type session struct {
	cluster, life string
	release       string // of the plug-in and of Hadoop, for people
	out           chan *wire.AttachResponse
	over          chan struct{} // closed at its end
	why           error         // why it ended, set before
}

// heard is a message of a session, nil when the session is over.
type heard struct {
	from *session
	says *wire.AttachRequest
}

// server is the gRPC side of a world.
type server struct {
	wire.UnimplementedSchedulerServiceServer
	*World
}

// largest is how many bytes a message may have: the state of a cluster of some 100,000 containers.
const largest = 64 << 20

// ServerOptions are those of a gRPC server that serves a world.
func ServerOptions() []grpc.ServerOption {
	return []grpc.ServerOption{grpc.MaxRecvMsgSize(largest), grpc.MaxConcurrentStreams(16)}
}

// Register adds the world's service to a gRPC server.
func (w *World) Register(s grpc.ServiceRegistrar) {
	wire.RegisterSchedulerServiceServer(s, server{World: w})
}

// Attach serves one plug-in.
func (v server) Attach(stream grpc.BidiStreamingServer[wire.AttachRequest, wire.AttachResponse]) error {
	s, err := v.welcome(stream)
	if err == nil {
		err = v.begin(s)
	}
	if err == nil {
		v.note("the ResourceManager of the cluster %s is attached (%s)", s.cluster, s.release)
	}
	if err != nil {
		v.note("a plug-in was refused: %v", status.Convert(err).Message())
		return err
	}
	go func() {
		for {
			select {
			case m := <-s.out:
				if err := stream.Send(m); err != nil {
					v.end(s, err)
					return
				}
			case <-s.over:
				return
			}
		}
	}()
	silence := time.AfterFunc(v.cfg.Silence, func() {
		v.end(s, status.Errorf(codes.DeadlineExceeded, "the plug-in has said nothing for %v", v.cfg.Silence))
	})
	defer silence.Stop()
	go func() {
		for {
			m, err := stream.Recv()
			if err != nil {
				v.end(s, err)
				return
			}
			silence.Reset(v.cfg.Silence)
			select {
			case v.inbox <- heard{s, m}:
			case <-s.over:
				return
			}
		}
	}()
	<-s.over
	select {
	case v.inbox <- heard{s, nil}:
	case <-v.stopped:
	}
	if s.why == io.EOF {
		return nil
	}
	return s.why
}

// welcome greets a plug-in that does not take too long for it.
func (v server) welcome(stream grpc.BidiStreamingServer[wire.AttachRequest, wire.AttachResponse]) (s *session, err error) {
	done := make(chan struct{})
	go func() {
		s, err = v.greet(stream)
		close(done)
	}()
	select {
	case <-done:
		return s, err
	case <-time.After(v.cfg.Silence):
		return nil, status.Errorf(codes.DeadlineExceeded, "the plug-in has not introduced itself within %v", v.cfg.Silence)
	}
}

// greet exchanges Hello, Welcome and Proof. Neither side sends the secret.
func (v server) greet(stream grpc.BidiStreamingServer[wire.AttachRequest, wire.AttachResponse]) (*session, error) {
	first, err := stream.Recv()
	if err != nil {
		return nil, err
	}
	hello := first.GetHello()
	switch {
	case hello == nil:
		return nil, status.Error(codes.InvalidArgument, "the first message of a plug-in is Hello")
	case hello.Protocol != wire.Protocol:
		return nil, status.Errorf(codes.FailedPrecondition,
			"the plug-in (release %q) speaks protocol %d and Slackline %s speaks %d: install the plug-in of this release",
			hello.Version, hello.Protocol, v.cfg.Version, wire.Protocol)
	case len(hello.Nonce) < shortestNonce || hello.Cluster == "" || hello.Life == "":
		return nil, status.Error(codes.InvalidArgument, "Hello lacks the name of the cluster, of its life, or random bytes")
	}
	nonce := make([]byte, 32)
	_, _ = rand.Read(nonce) // package crypto/rand ends the process where there is none
	err = stream.Send(&wire.AttachResponse{Says: &wire.AttachResponse_Welcome{Welcome: &wire.Welcome{Protocol: wire.Protocol,
		Version: v.cfg.Version, Scheduler: v.cfg.Name, Nonce: nonce, Proof: ProofOf(v.cfg.Secret, "slackline", hello.Nonce, nonce)}}})
	if err != nil {
		return nil, err
	}
	second, err := stream.Recv()
	if status.Code(err) == codes.Canceled || err == io.EOF {
		return nil, status.Error(codes.Unauthenticated, "it left when it was greeted, as it has another secret; the ResourceManager's log says why")
	}
	if err != nil {
		return nil, err
	}
	if !hmac.Equal(second.GetProof().GetProof(), ProofOf(v.cfg.Secret, "plugin", hello.Nonce, nonce)) {
		return nil, status.Error(codes.Unauthenticated, "the plug-in does not know the secret of this Slackline")
	}
	release := fmt.Sprintf("Hadoop %s, plug-in %s", cmp.Or(hello.Hadoop, "of an unknown release"), cmp.Or(hello.Version, "unknown"))
	return &session{cluster: hello.Cluster, life: hello.Life, release: release,
		out: make(chan *wire.AttachResponse, backlog), over: make(chan struct{})}, nil
}

// ProofOf is what shows that somebody in that role knows the secret.
func ProofOf(secret []byte, role string, hello, welcome []byte) []byte {
	m := hmac.New(sha256.New, secret)
	m.Write([]byte(role))
	m.Write(hello)
	m.Write(welcome)
	return m.Sum(nil)
}

// begin makes a session the one that counts. A cluster that attaches again ends its old session, which may be
// half open; another cluster is fenced off.
func (w *World) begin(s *session) error {
	w.lock.Lock()
	defer w.lock.Unlock()
	if now := w.session; now != nil {
		if now.cluster != s.cluster {
			return status.Errorf(codes.FailedPrecondition, "Slackline already schedules the cluster %q, and one at a time", now.cluster)
		}
		now.close(status.Error(codes.Aborted, "the cluster has attached again"))
	}
	w.session = s
	return nil
}

// end closes a session.
func (w *World) end(s *session, why error) {
	w.lock.Lock()
	defer w.lock.Unlock()
	s.close(why)
	if w.session == s {
		w.session = nil
	}
}

// parting says why a session is over, without gRPC's words.
func parting(why error) string {
	if why == io.EOF || status.Code(why) == codes.Canceled {
		return "the ResourceManager has stopped, or another one serves"
	}
	return status.Convert(why).Message()
}

// close needs the world's lock.
func (s *session) close(why error) {
	select {
	case <-s.over:
	default:
		s.why = why
		close(s.over)
	}
}

// send puts a message in line for the plug-in. One that does not read is given up, and comes back with a
// snapshot.
func (w *World) send(m *wire.AttachResponse) {
	s := w.now
	if s == nil {
		return
	}
	select {
	case s.out <- m:
	case <-s.over:
	default:
		w.end(s, status.Error(codes.ResourceExhausted, fmt.Sprintf("the plug-in has left %d messages unread", backlog)))
	}
}
