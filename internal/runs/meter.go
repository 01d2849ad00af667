package runs

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

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
	rapl   rapl
	stop   chan struct{}
	done   sync.WaitGroup
}

const (
	lookAtMemory = 20 * time.Millisecond
	lookAtEnergy = 10 * time.Second // its counters begin again after some minutes at the earliest
)

// StartMeter starts measuring. The model is for machines whose energy cannot be measured.
func StartMeter(model Power) *Meter { return startMeter(model, anonymous) }

// startMeter looks at the memory by a function, which is called from one goroutine at a time.
func startMeter(model Power, look func() int64) *Meter {
	cpu, stored := usage()
	m := &Meter{began: time.Now(), power: model, cpu: cpu, stored: stored, rapl: openRAPL(raplRoot), stop: make(chan struct{}), look: look, tally: process.StartTally()}
	m.memory = look()
	m.done.Go(func() {
		memory, energy := time.NewTicker(lookAtMemory), time.NewTicker(lookAtEnergy)
		defer memory.Stop()
		defer energy.Stop()
		for {
			select {
			case <-memory.C:
				m.memory = max(m.memory, look())
			case <-energy.C:
				m.rapl.read()
			case <-m.stop:
				return
			}
		}
	})
	return m
}

// Stop stops measuring and returns what was measured. It may be called once.
func (m *Meter) Stop() *report.Real {
	close(m.stop)
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
	if joules, names, ok := m.rapl.end(); ok {
		r.Energy = &report.Energy{Joules: joules, Above: max(0, joules-float64(m.power.Idle)*took), Source: "rapl", Detail: names}
	} else {
		above := float64(m.power.Core) * r.CPU
		r.Energy = &report.Energy{Joules: float64(m.power.Idle)*took + above, Above: above, Source: "model", Detail: m.power.String()}
		if m.rapl.bad != "" {
			r.Energy.Detail += ", as " + m.rapl.bad
		}
	}
	return r
}

// anonymous is the memory of this process that is no file, 0 where the system does not tell.
func anonymous() int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, found := strings.Cut(string(text), "\nRssAnon:")
	if !found {
		return 0
	}
	var kb int64
	if _, err := fmt.Sscanf(rest, "%d kB", &kb); err != nil {
		return 0
	}
	return kb << 10
}

// rapl are the energy counters of the processor packages ("running average power limit").
type rapl struct {
	zones []zone
	bad   string // why they are not believed
	at    time.Time
}

// mostWatts is more than a package draws.
const mostWatts = 2000

type zone struct {
	dir, name string
	last      int64 // microjoules
	span      int64 // the counter begins again above it
	sum       int64
}

// openRAPL finds the packages below a folder and reads their counters. Where there are none, or
// they may not be read, nothing is measured.
func openRAPL(root string) (r rapl) {
	if runtime.GOOS != "linux" {
		return r
	}
	r.at = time.Now()
	dirs, err := filepath.Glob(filepath.Join(root, "intel-rapl:*"))
	if err != nil {
		return r
	}
	for _, dir := range dirs {
		name, err := os.ReadFile(filepath.Join(dir, "name"))
		if err != nil || !strings.HasPrefix(string(name), "package-") {
			continue // cores and memory are parts of their package
		}
		z := zone{dir: dir, name: strings.TrimSpace(string(name))}
		last, err1 := readNumber(filepath.Join(dir, "energy_uj"))
		span, err2 := readNumber(filepath.Join(dir, "max_energy_range_uj"))
		if err1 != nil || err2 != nil {
			return rapl{}
		}
		z.last, z.span = last, span
		r.zones = append(r.zones, z)
	}
	return r
}

func readNumber(path string) (int64, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
}

// read adds what the counters have counted since.
func (r *rapl) read() {
	could := mostWatts * (1 + time.Since(r.at).Seconds()) * 1e6
	r.at = time.Now()
	for i := range r.zones {
		z := &r.zones[i]
		now, err := readNumber(filepath.Join(z.dir, "energy_uj"))
		if err != nil {
			r.bad = fmt.Sprintf("the counter of %s could not be read any more", z.name)
			return
		}
		used := now - z.last
		if used < 0 {
			used += z.span
		}
		if used < 0 || float64(used) > could {
			r.bad = fmt.Sprintf("the counter of %s jumped from %d to %d µJ", z.name, z.last, now)
		}
		z.sum += used
		z.last = now
	}
}

// end returns the joules since openRAPL, and of which packages.
func (r *rapl) end() (joules float64, names string, ok bool) {
	r.read()
	var list []string
	for _, z := range r.zones {
		if z.sum == 0 {
			r.bad = cmp.Or(r.bad, fmt.Sprintf("the counter of %s stood still", z.name))
		}
		joules += float64(z.sum) / 1e6
		list = append(list, z.name)
	}
	return joules, strings.Join(list, ", "), len(r.zones) > 0 && r.bad == ""
}
