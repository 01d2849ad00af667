package runs

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/slackline/slackline/internal/runs/sensor"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/worlds/engine/process"
	"github.com/slackline/slackline/units"
)

// Power is the model that stands in where the processor's counters cannot be read: what the machine
// draws when it does nothing, and what each busy core adds. It is marked as a model wherever it is
// shown.
type Power struct{ Idle, Core units.Watts }

// DefaultPower is that of a small machine.
var DefaultPower = Power{Idle: 10, Core: 8}

// String says the model.
func (p Power) String() string { return fmt.Sprintf("%v + %v for each busy core", p.Idle, p.Core) }

// ParsePower reads a model: 10W,8W.
func ParsePower(text string) (p Power, err error) {
	parts := strings.Split(text, ",")
	for i, to := range []*units.Watts{&p.Idle, &p.Core} {
		watts, e := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(parts[min(i, len(parts)-1)]), "W"), 64)
		if e != nil || len(parts) != 2 || !(watts >= 0 && watts <= 1e6) {
			return Power{}, fmt.Errorf("%q: write the watts that the machine draws when idle, and those that each busy core adds, such as %v,%v", text, DefaultPower.Idle, DefaultPower.Core)
		}
		*to = units.Watts(watts)
	}
	return p, nil
}

// raplRoot is where Linux shows the energy counters of the processor.
const raplRoot = "/sys/class/powercap"

// Meter measures what a run takes while it lasts: processor time, of what it starts as well;
// memory, of this process, and of the largest command or program that ended meanwhile, with all
// that it started; energy, of the machine.
type Meter struct {
	began  time.Time
	cpu    float64
	stored int64 // fetched before
	power  Power
	look   func() int64 // the memory of now
	memory int64        // most so far; 0: not known
	tally  *process.Tally
	energy *sensor.Meter // nil: there is none
	source string        // what that is
	stop   context.CancelFunc
	done   sync.WaitGroup
}

const (
	lookAtMemory = 20 * time.Millisecond
	lookAtEnergy = time.Second // for power that varies; counters begin again after some minutes at the earliest
)

// StartMeter starts measuring. The model is for machines whose energy cannot be measured; a meter that the user
// has named counts before the counters of the processor.
func StartMeter(model Power, named *sensor.Meter) *Meter { return startMeter(model, named, anonymous) }

// startMeter looks at the memory by a function, which is called from one goroutine at a time.
func startMeter(model Power, named *sensor.Meter, look func() int64) *Meter {
	cpu, stored := usage()
	ctx, stop := context.WithCancel(context.Background())
	m := &Meter{began: time.Now(), power: model, cpu: cpu, stored: stored, energy: named, source: "meter", stop: stop, look: look, tally: process.StartTally()}
	if named == nil {
		m.energy, m.source = sensor.RAPL(raplRoot), "rapl"
	}
	m.memory = look()
	every := func(span time.Duration, do func()) {
		tick := time.NewTicker(span)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				do()
			case <-ctx.Done():
				return
			}
		}
	}
	m.done.Go(func() { every(lookAtMemory, func() { m.memory = max(m.memory, look()) }) })
	if m.energy != nil {
		m.done.Go(func() { every(lookAtEnergy, func() { m.energy.Look(ctx) }) })
	}
	return m
}

// Stop stops measuring and returns what was measured. It may be called once.
func (m *Meter) Stop() *report.Real {
	m.stop()
	m.done.Wait()
	families := m.tally.Stop()
	cpu, stored := usage()
	r := &report.Real{CPU: cpu - m.cpu + families.Unwaited.Seconds(), Started: families.Families, Cgroups: families.Grouped}
	if stored -= m.stored; runtime.GOOS == "linux" { // other systems count operations, or nothing
		r.Fetched = &stored
	}
	if most := int64(families.Memory); most > 0 {
		r.Family, r.FamilyBy = &most, string(families.Counted)
	}
	if m.memory = max(m.memory, m.look()); m.memory > 0 {
		r.Memory = &m.memory
	}
	took := time.Since(m.began).Seconds()
	above := float64(m.power.Core) * r.CPU
	r.Energy = &report.Energy{Joules: float64(m.power.Idle)*took + above, Above: above, Source: "model", Detail: m.power.String()}
	if m.energy == nil {
		return r
	}
	if joules, why := m.energy.End(context.Background()); why != nil {
		r.Energy.Detail += ", as " + why.Error()
	} else {
		*r.Energy = report.Energy{Joules: joules, Above: max(0, joules-float64(m.power.Idle)*took), Source: m.source, Detail: m.energy.Detail}
	}
	return r
}

// anonymous is the memory of this process that is no file, 0 where the system does not tell.
func anonymous() int64 {
	text, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(text), "\nRssAnon:")
	kb := int64(0)
	_, _ = fmt.Sscanf(rest, "%d kB", &kb)
	return kb << 10
}
