package lab

import (
	"sync/atomic"
	"testing"
)

// Memory that is taken and given back while a run lasts counts, though neither its begin nor its end sees it.
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
