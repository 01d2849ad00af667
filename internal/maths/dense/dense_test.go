package dense

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Multiplying back is the oracle.
func TestCholeskySolves(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 24; n++ {
		g, a := make([]float64, n*n), make([]float64, n*n)
		for i := range g {
			g[i] = dice.NormFloat64()
		}
		for i := range n {
			for j := range n {
				a[i*n+j] = Dot(g[i*n:i*n+n], g[j*n:j*n+n])
				if i == j {
					a[i*n+j] += 0.1
				}
			}
		}
		want, b := make([]float64, n), make([]float64, n)
		for i := range want {
			want[i] = dice.NormFloat64()
		}
		for i := range b {
			b[i] = Dot(a[i*n:i*n+n], want)
		}
		if lost := Cholesky(a, n, 0); lost != 0 {
			t.Fatalf("%d: %d pivots lost", n, lost)
		}
		Solve(a, n, b)
		for i := range b {
			if math.Abs(b[i]-want[i]) > 1e-8*float64(n) {
				t.Errorf("%d: x[%d] = %v, want %v", n, i, b[i], want[i])
			}
		}
	}
}

// A singular matrix loses pivots, and what can be solved is.
func TestCholeskyLeavesOutWhatIsSingular(t *testing.T) {
	a := []float64{4, 0, 0, 4, 4, 0, 2, 2, 5} // rows: (4 4 2) (4 4 2) (2 2 5), lower triangle
	if lost := Cholesky(a, 3, 1e-12); lost != 1 {
		t.Fatalf("lost %d, want 1", lost)
	}
	b := []float64{10, 10, 9} // x = (2,0,1): 4*2+2=10, 2*2+5=9
	Solve(a, 3, b)
	for i, want := range []float64{2, 0, 1} {
		if math.Abs(b[i]-want) > 1e-12 {
			t.Errorf("x[%d] = %v, want %v", i, b[i], want)
		}
	}
}

// What is left is orthogonal to every column: the condition of an optimum.
func TestLeastSquares(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 4))
	var q QR
	for _, c := range []struct{ m, n, rank int }{{1, 1, 1}, {5, 3, 3}, {40, 8, 8}, {40, 8, 5}, {3, 6, 3}, {9, 4, 0}} {
		for _, scale := range []float64{1, 1e-9, 1e9} {
			a, b := make([]float64, c.m*c.n), make([]float64, c.m)
			for i := range c.m {
				for j := range c.n {
					switch {
					case c.rank == 0:
					case j < c.rank || c.m < c.n:
						a[i*c.n+j] = scale * dice.NormFloat64()
					default: // depends on the others
						a[i*c.n+j] = a[i*c.n+j-c.rank] - 2*a[i*c.n]
					}
				}
				b[i] = dice.NormFloat64()
			}
			a0, b0 := append([]float64(nil), a...), append([]float64(nil), b...)
			x, rank, rest := q.LeastSquares(a, c.m, c.n, b, 1e-12)
			if rank != c.rank {
				t.Errorf("%v: rank %d", c, rank)
			}
			left, sum := make([]float64, c.m), 0.0
			for i := range left {
				left[i] = b0[i] - Dot(a0[i*c.n:i*c.n+c.n], x)
				sum += left[i] * left[i]
			}
			if math.Abs(sum-rest) > 1e-9 {
				t.Errorf("%v: rest %v, is %v", c, rest, sum)
			}
			for j := range c.n {
				s := 0.0
				for i := range left {
					s += left[i] * a0[i*c.n+j]
				}
				if math.Abs(s) > 1e-10*scale*float64(c.m) {
					t.Errorf("%v: what is left has %v of column %d", c, s, j)
				}
			}
		}
	}
}
