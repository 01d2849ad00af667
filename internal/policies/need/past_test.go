package need

import "testing"

// Nodes that worked through some hours count in each of them for as long as they did, also if nothing was looked at.
func TestHoursOfWork(t *testing.T) {
	var p past
	p.count(3*hour, 9, 100)
	p.count(5*hour+hour/2, 0, 100)
	for i, want := range []int{0, 9, 9, 5, 0} { // half an hour of 9 is 4.5
		if got := p.count(int64(26+i)*hour, 0, 100); got != want {
			t.Errorf("hour %d: %d nodes, want %d", 26+i, got, want)
		}
	}
}
