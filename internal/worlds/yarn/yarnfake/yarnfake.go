// Package yarnfake is a plug-in without a ResourceManager: it plays a world of tests that binds late, such as
// package adverse, over a real stream of package wire. So what a policy and a book meet there goes through all
// of package yarn.
//
// Both sides take turns. The plug-in goes on when it was told that all it has said was taken in, so a run is
// as repeatable as the world that is played.
package yarnfake

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/worlds/yarn"
	"github.com/slackline/slackline/internal/worlds/yarn/wire"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"
)

// World is a YARN cluster, as the loop sees it, behind which another world is played.
type World struct {
	*yarn.World
	server *grpc.Server
	done   chan error // how the plug-in has ended
}

// New returns the world, to which its plug-in attaches at once. Close ends both.
func New(cfg yarn.Config, played drive.World) (*World, error) {
	inner, err := yarn.New(cfg)
	if err != nil {
		return nil, err
	}
	pipe := bufconn.Listen(1 << 20)
	w := &World{World: inner, server: grpc.NewServer(yarn.ServerOptions()...), done: make(chan error, 1)}
	inner.Register(w.server)
	go w.server.Serve(pipe)
	go func() {
		dial := func(ctx context.Context, _ string) (net.Conn, error) { return pipe.DialContext(ctx) }
		play(cfg.Secret, played, dial, func(err error) {
			w.done <- err
			inner.Stop()
		})
	}()
	return w, nil
}

// Next is that of the world; an error of the plug-in's ends the run.
func (w *World) Next(ctx context.Context) (drive.Batch, error) {
	b, err := w.World.Next(ctx)
	if errors.Is(err, io.EOF) {
		failed := <-w.done
		w.done <- failed
		if failed != nil {
			return b, failed
		}
	}
	return b, err
}

// Close ends the stream.
func (w *World) Close() {
	w.Stop()
	w.server.Stop()
}

// play attaches, and plays the world to its end, which it tells before it closes the stream: else whoever
// listens might hear of a broken stream first.
func play(secret []byte, played drive.World, dial func(context.Context, string) (net.Conn, error), end func(error)) {
	conn, err := grpc.NewClient("passthrough:fake", grpc.WithContextDialer(dial), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		end(err)
		return
	}
	defer conn.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	end(turns(ctx, conn, secret, played))
}

// turns plays the world, batch by batch.
func turns(ctx context.Context, conn *grpc.ClientConn, secret []byte, played drive.World) error {
	stream, err := wire.NewSchedulerServiceClient(conn).Attach(ctx)
	if err != nil {
		return err
	}
	if err := Greet(stream, secret, &wire.Hello{Protocol: wire.Protocol, Version: "fake", Cluster: "fake", Life: "1"}); err != nil {
		return err
	}
	p := &plugin{world: played, stream: stream}
	p.forget()
	for {
		batch, err := played.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, m := range p.say(batch) {
			if err := stream.Send(m); err != nil {
				return err
			}
		}
		if err := p.hear(); err != nil {
			return err
		}
	}
}

// Greet introduces a plug-in, and checks that the other side knows the secret.
func Greet(stream grpc.BidiStreamingClient[wire.AttachRequest, wire.AttachResponse], secret []byte, hello *wire.Hello) error {
	hello.Nonce = []byte("0123456789abcdef")
	if err := stream.Send(&wire.AttachRequest{Says: &wire.AttachRequest_Hello{Hello: hello}}); err != nil {
		return err
	}
	m, err := stream.Recv()
	if err != nil {
		return err
	}
	welcome := m.GetWelcome()
	if string(welcome.GetProof()) != string(yarn.ProofOf(secret, "slackline", hello.Nonce, welcome.GetNonce())) {
		return fmt.Errorf("who answers does not know the secret")
	}
	return stream.Send(&wire.AttachRequest{Says: &wire.AttachRequest_Proof{
		Proof: &wire.Proof{Proof: yarn.ProofOf(secret, "plugin", hello.Nonce, welcome.Nonce)}}})
}

// hear does what is asked for until all that was said has been taken in.
func (p *plugin) hear() error {
	for {
		m, err := p.stream.Recv()
		if err != nil {
			return err
		}
		switch says := m.Says.(type) {
		case *wire.AttachResponse_Plan:
			if err := p.enact(says.Plan); err != nil {
				return err
			}
		case *wire.AttachResponse_Beat:
			if says.Beat.Seen >= p.next {
				return nil
			}
		case *wire.AttachResponse_Resync:
			return fmt.Errorf("asked for a new snapshot: %s", says.Resync.Why)
		}
	}
}

// Stream is the plug-in's end of a session.
type Stream = grpc.BidiStreamingClient[wire.AttachRequest, wire.AttachResponse]

// Attach begins a session with a Slackline that listens somewhere, until the context ends.
func Attach(ctx context.Context, address string, secret []byte, hello *wire.Hello) (Stream, error) {
	return AttachBy(ctx, nil, address, secret, hello)
}

// AttachBy is Attach over a stream that is encrypted, unless there is no configuration for that.
func AttachBy(ctx context.Context, by *tls.Config, address string, secret []byte, hello *wire.Hello) (Stream, error) {
	how := insecure.NewCredentials()
	if by != nil {
		how = credentials.NewTLS(by)
	}
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(how))
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { conn.Close() })
	stream, err := wire.NewSchedulerServiceClient(conn).Attach(ctx)
	if err == nil {
		err = Greet(stream, secret, hello)
	}
	return stream, err
}
