package runs

import (
	"os"
	"runtime"
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
	m := startMeter(DefaultPower, nil, func() int64 {
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
	if r := startMeter(DefaultPower, nil, func() int64 { return 0 }).Stop(); r.Memory != nil {
		t.Error(*r.Memory)
	}
}

// What commands take that end while the meter runs is told beside the engine's own.
func TestMeterOfCommands(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("NOT CHECKED: the memory of commands is known on Linux only")
	}
	m := startMeter(DefaultPower, nil, func() int64 { return 1 })
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
	if got := startMeter(DefaultPower, nil, func() int64 { return 1 }).Stop(); got.Started != 0 || got.Family != nil || got.FamilyBy != "" {
		t.Errorf("without commands: %+v", got)
	}
}
