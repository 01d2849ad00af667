package profile

import (
	"reflect"
	"testing"

	"github.com/slackline/slackline/workload"
)

// A class borrows the same from what others lend as from all that is known of them, models, the order of those from
// which most was learned, and tails.
func TestLent(t *testing.T) {
	classes := []*Class{taughtBy(1, 40, 6, 1, 1e-7, 0.1, 0.3), taughtBy(2, 12, 4, 5, 2e-8, 0.3, 0.1), taughtBy(3, 3, 20, 2, 1e-6, 0.2, 0.6).AsCold(), New("empty")}
	var lenders []*Class
	for i, name := range []string{"a", "b", "c", "d"} {
		classes[i].Name = name
		if classes[i].Cold != nil {
			classes[i].Cold.Name = name
		}
		Fit(classes[i : i+1])
		l, err := Lender(name, classes[i].Lent())
		if err != nil {
			t.Fatal(err)
		}
		lenders = append(lenders, l)
	}
	told := []*Class{classes[0], classes[1], classes[2].Told(), classes[3]}
	few := func(from []*Class) *Model {
		c := taughtBy(9, 2, 5, 2, 1e-7, 0.1, 0.3)
		PeersOf(from).Fit(c)
		return c.Model(workload.Map, "n", Run)
	}
	if got, want := few(lenders), few(told); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if got, want := few(lenders), few(nil); reflect.DeepEqual(got, want) {
		t.Error("nothing is borrowed")
	}
	if p, q := PeersOf(lenders), PeersOf(told); !reflect.DeepEqual(p.names, q.names) || len(p.lenders) != 3 || !reflect.DeepEqual(p.lenders, q.lenders) {
		t.Errorf("lenders %+v\nwant %+v", p, q)
	}
	again, err := Lender("a", lenders[0].Lent())
	if err != nil || !reflect.DeepEqual(again, lenders[0]) {
		t.Errorf("what a lender lends: %+v, %v", again, err)
	}
}

func FuzzLender(f *testing.F) {
	c := taughtBy(1, 40, 6, 1, 1e-7, 0.1, 0.3)
	Fit([]*Class{c})
	whole := c.Lent()
	for _, n := range []int{0, 8, 16, len(whole) - 8, len(whole) - 1, len(whole)} {
		f.Add(whole[:n])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if l, err := Lender("x", data); err == nil {
			if again, err := Lender("x", l.Lent()); err != nil || len(again.Models) != len(l.Models) || len(again.Rests) != len(l.Rests) {
				t.Errorf("%v: %d and %d models", err, len(again.Models), len(l.Models))
			}
		}
	})
}
