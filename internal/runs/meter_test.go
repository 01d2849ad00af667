package runs

import (
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/worlds/engine/process"
	"github.com/slackline/slackline/internal/worlds/engine/process/commandtest"
	"github.com/slackline/slackline/units"
)

func TestMain(m *testing.M) {
	commandtest.Run()
	os.Exit(m.Run())
}

// Memory that is taken and given back while a run lasts counts, though neither its begin nor its
// end sees it.
func TestMeterSeesThePeak(t *testing.T) {
	looks, seen := atomic.Int64{}, make(chan struct{})
	m := startMeter(DefaultPower, func() int64 {
		switch looks.Add(1) {
		case 2:
			return 100
		case 3:
			close(seen)
		}
		return 1
	})
	<-seen
	if r := m.Stop(); r.Memory == nil || *r.Memory != 100 {
		t.Errorf("%+v", r)
	}
}

// Where the system does not tell the memory, none is told.
func TestMeterWithoutMemory(t *testing.T) {
	if r := startMeter(DefaultPower, func() int64 { return 0 }).Stop(); r.Memory != nil {
		t.Error(*r.Memory)
	}
}

// What commands take that end while the meter runs is told beside the engine's own.
func TestMeterOfCommands(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("NOT CHECKED: the memory of commands is known on Linux only")
	}
	m := startMeter(DefaultPower, func() int64 { return 1 })
	p, err := process.Start(process.Spec{Path: "/bin/sh", Args: []string{"-c", commandtest.Line("eat 500 stay")},
		Env: os.Environ(), Limits: process.Limits{Memory: 64 * units.MB}})
	if err != nil {
		t.Fatal(err)
	}
	<-p.Ended()
	if err := p.End(); err != nil {
		t.Error(err)
	}
	if got := m.Stop(); got.Started != 1 || got.Family == nil || *got.Family < 63<<20 || got.FamilyBy != report.FamilyByLooks && got.FamilyBy != report.FamilyByCgroup && got.FamilyBy != report.FamilyByLargest {
		t.Errorf("%+v", got)
	}
	if got := startMeter(DefaultPower, func() int64 { return 1 }).Stop(); got.Started != 0 || got.Family != nil || got.FamilyBy != "" {
		t.Errorf("without commands: %+v", got)
	}
}

// Counters that begin again are counted on; what stands still, jumps or is gone is not believed, and it is said why.
func TestCounters(t *testing.T) {
	for _, c := range []struct {
		name      string
		then, end int64 // after 1000 µJ; -1 = the file is gone
		want      float64
		bad       string
	}{
		{"counts", 5_000_000, 9_000_000, 8.999, ""},
		{"begins again", 9_999_000, 500_000, 10.499, ""},
		{"begins again twice", 500, 400, 19.9994, ""},
		{"stands still", 1000, 1000, 0, "the counter of package-0 stood still"},
		{"jumps", 1000, 9_000_000_000_000, 0, "the counter of package-0 jumped from 1000 to 9000000000000 µJ"},
		{"jumps back, below what it can", 1000, -20_000_000, 0, "the counter of package-0 jumped from 1000 to -20000000 µJ"},
		{"goes", 2000, -1, 0, "the counter of package-0 could not be read any more"},
	} {
		root := t.TempDir()
		dir := filepath.Join(root, "intel-rapl:0")
		write := func(name, text string) {
			if err := os.MkdirAll(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		write("name", "package-0")
		write("max_energy_range_uj", "10000000")
		write("energy_uj", "1000")
		r := openRAPL(root)
		write("energy_uj", strconv.FormatInt(c.then, 10))
		r.read()
		if write("energy_uj", strconv.FormatInt(c.end, 10)); c.end == -1 {
			os.Remove(filepath.Join(dir, "energy_uj"))
		}
		joules, _, ok := r.end()
		if ok != (c.bad == "") || r.bad != c.bad || ok && math.Abs(joules-c.want) > 1e-9 {
			t.Errorf("%s: %v J, %v, %q; want %v, %q", c.name, joules, ok, r.bad, c.want, c.bad)
		}
	}
}
