package profile

import (
	"fmt"
	"testing"
)

// What a task costs: to gather it, and its share of the fits that it causes, with jobs of so many tasks.
func BenchmarkUpdate(b *testing.B) {
	for _, tasks := range []int{1, 20, 1000} {
		b.Run(fmt.Sprintf("jobs-of-%d", tasks), func(b *testing.B) {
			known := taughtBy(1, 600, tasks, 5, 1e-7, 0.1, 0.2)
			var f Fitter
			f.Fit(nil, known)
			var g Gather
			b.ResetTimer()
			b.ReportAllocs()
			for i := range b.N {
				g.Add(mapsOnN, float64(1e6+i%1000*1e5), -1, float64(5+i%7))
				if i%tasks == tasks-1 {
					known.Learn(&g, nil)
					f.Learned(nil, known)
				}
			}
		})
	}
}

func BenchmarkGather(b *testing.B) {
	var g Gather
	b.ReportAllocs()
	for i := range b.N {
		g.Add(mapsOnN, 1e6, -1, float64(i%7))
	}
}

func BenchmarkModel(b *testing.B) {
	c := taughtBy(1, 600, 5, 5, 1e-7, 0.1, 0.2)
	Fit([]*Class{c})
	m := c.Model(mapsOnN.Stage, "n", Run)
	b.ReportAllocs()
	x := 0.0
	for i := range b.N {
		f := m.SharedAt(float64(i), -1)
		x += m.Typical(float64(i), -1) * f.Quantile(0.99)
	}
	_ = x
}
