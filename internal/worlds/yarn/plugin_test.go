package yarn_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/worlds/conform"
	"github.com/slackline/slackline/internal/worlds/yarn"
	"github.com/slackline/slackline/internal/worlds/yarn/wire"
	"github.com/slackline/slackline/internal/worlds/yarn/yarnfake"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// placed counts what became of a run.
type placed struct {
	ours, stock, ended int
	odd                []string
}

func (p *placed) Batch(_ int64, _ units.Time, events []sched.Event) error {
	for i := range events {
		switch e := &events[i]; {
		case e.Kind == sched.Started && e.Item > 0:
			p.ours++
		case e.Kind == sched.Started && e.Age == 0:
			p.stock++
		case e.Kind == sched.JobEnded && e.Outcome == sched.Committed:
			p.ended++
		case e.Kind == sched.Discrepancy:
			p.odd = append(p.odd, e.Text)
		}
	}
	return nil
}

func (*placed) Plan(int64, units.Time, *sched.Plan) error { return nil }

// A real ResourceManager with the plug-in, in a JVM of its own, is served by this process over an encrypted
// stream: all containers are placed by plans, but for what the stock scheduler did before control was taken.
func TestPlugin(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "yarn", "plugin")
	maven, err := exec.LookPath("mvn")
	if os.Getenv("SLACKLINE_YARN") != "required" {
		t.Skip("NOT CHECKED: the plug-in in a ResourceManager; SLACKLINE_YARN=required runs it, with Java 17 and Maven")
	}
	if err != nil {
		t.Fatal("SLACKLINE_YARN=required, and there is no mvn on the path")
	}
	certificates := t.TempDir()
	if err := yarnfake.Certificates(certificates, "slackline", "plugin"); err != nil {
		t.Fatal(err)
	}
	own := func(file string) string { return filepath.Join(certificates, "slackline", file) }
	pair, err := tls.LoadX509KeyPair(own("cert.pem"), own("key.pem"))
	authority, err2 := os.ReadFile(own("ca.pem"))
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authority)
	world, err := yarn.New(yarn.Config{Secret: []byte("shared"), Version: "test", Heartbeat: units.Second, Mode: wire.Mode_MODE_OURS,
		TLS:  &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool},
		Note: func(s string) { t.Log(s) }})
	if err != nil {
		t.Fatal(err)
	}
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer world.Serve(at)()

	var p placed
	watch := conform.NewWatch(false)
	done := make(chan error)
	go func() { done <- drive.New(world, conform.Friendly{}, watch, &p).Run(context.Background()) }()
	cmd := exec.Command(maven, "-B", "-q", "surefire:test", "-Dtest=SlacklineSchedulerTest#isServedByARealSlackline")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "SLACKLINE_YARN_ADDRESS="+at.Addr().String(), "SLACKLINE_YARN_TLS="+filepath.Join(certificates, "plugin"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	world.Stop()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if p.ours+p.stock < 7 || p.ours < 6 || p.ended != 1 {
		t.Errorf("plans placed %d containers, the stock scheduler %d, of 7; %d jobs ended well", p.ours, p.stock, p.ended)
	}
	for _, b := range watch.Broken {
		t.Errorf("a promise is broken: %s", b)
	}
	if len(p.odd) > 0 {
		t.Errorf("the book was surprised: %q", p.odd)
	}
}
