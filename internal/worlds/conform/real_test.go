package conform

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/worlds/yarn"
	"github.com/slackline/slackline/internal/worlds/yarn/wire"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// hadoopCluster is a Hadoop cluster of this machine, in its folder (slackline yarn dev up).
type hadoopCluster string

// setting is what its configuration says.
func (c hadoopCluster) setting(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(string(c), "conf", "yarn-site.xml"))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`<name>` + regexp.QuoteMeta(name) + `</name><value>([^<]*)<`).FindSubmatch(text)
	if found == nil {
		t.Fatalf("the cluster's yarn-site.xml has no %s", name)
	}
	return string(found[1])
}

// hosted is the world of that cluster, which ends when so many jobs have.
type hosted struct {
	*yarn.World
	jobs  int
	ended int
}

func (w *hosted) Next(ctx context.Context) (drive.Batch, error) {
	if w.ended >= w.jobs {
		return drive.Batch{}, io.EOF
	}
	b, err := w.World.Next(ctx)
	for i := range b.Events {
		if b.Events[i].Kind == sched.JobEnded {
			w.ended++
		}
	}
	return b, err
}

// A world of YARN's own ResourceManager, with the plug-in, under jobs of two maps and a reduce: what the suite asks of
// worlds that bind late, as far as a real cluster can be asked. It is not asked to
//
//   - repeat a run, or be unkind by a seed: it does what it does;
//   - bear plans that no book has checked (meddled): these are drawn by turns, of which it has five a second, and what
//     comes of them is tested in one JVM;
//   - change nodes, clocks and modes: TestYarnFaults does that, with Hadoop's own processes.
func TestRealCluster(t *testing.T) {
	c := hadoopCluster(os.Getenv("SLACKLINE_YARN_CLUSTER"))
	if c == "" {
		if os.Getenv("SLACKLINE_YARN") == "required" && os.Getenv("SLACKLINE_LONG") != "" {
			t.Fatal("SLACKLINE_YARN_CLUSTER names no cluster")
		}
		t.Skip("NOT CHECKED on a real cluster: SLACKLINE_YARN_CLUSTER names none")
	}
	secret, err := os.ReadFile(c.setting(t, "yarn.slackline.secret.file"))
	if err != nil {
		t.Fatal(err)
	}
	jars, err := filepath.Glob(filepath.Join(string(c), "lib", "hadoop-mapreduce-examples-*.jar"))
	if err != nil || len(jars) != 1 {
		t.Fatal(jars, err)
	}
	s := Subject{Name: "yarn, real", Jobs: 2, Seeds: 1}
	s.New = func(t *testing.T, seed uint64) drive.World {
		inner, err := yarn.New(yarn.Config{Secret: bytes.TrimSpace(secret), Name: "conform", Heartbeat: 200 * units.Millisecond, Mode: wire.Mode_MODE_OURS,
			Note: func(sentence string) { t.Logf("seed %d: %s", seed, sentence) }})
		if err != nil {
			t.Fatal(err)
		}
		at, err := net.Listen("tcp", c.setting(t, "yarn.slackline.address"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(inner.Serve(at))
		for range s.Jobs {
			job := exec.Command(filepath.Join(string(c), "bin", "hadoop"), "jar", jars[0], "pi", "2", "10")
			said := &bytes.Buffer{}
			job.Stdout, job.Stderr = said, said
			if err := job.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := job.Wait(); err != nil { // as it does where it was rejected
					t.Logf("%v: %s", err, said)
				}
			})
		}
		late := time.AfterFunc(10*time.Minute, inner.Stop)
		t.Cleanup(func() { late.Stop() })
		return &hosted{World: inner, jobs: s.Jobs}
	}
	for _, test := range []struct {
		name    string
		fresh   func() sched.Policy
		between mischief
	}{
		{"friendly", func() sched.Policy { return Friendly{} }, nil},
		{"brutal", brutal(0), nil},
		{"memory", func() sched.Policy { return fromCatalogue(t, "edf-p+matchmaking")() }, forget},
		{"fair", func() sched.Policy { return fromCatalogue(t, "fair")() }, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := s.run(t, 0, test.fresh, test.between)
			s.finished(t, w)
			t.Logf("jobs %v, attempts %v, refused by the cluster %v", w.Jobs, w.Ends, w.Whys)
			if w.Ends[sched.Committed] < 4 {
				t.Error("hardly anything ran: this run tests nothing")
			}
		})
	}
}
