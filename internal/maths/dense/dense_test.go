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
				a[i*n+j] = dot(g[i*n:i*n+n], g[j*n:j*n+n])
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
			b[i] = dot(a[i*n:i*n+n], want)
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

// In tiles the same is found as by rows, for any size, also half by half, in products and below a factor.
func TestTilesAreAsRows(t *testing.T) {
	dice := rand.New(rand.NewPCG(5, 6))
	for n := 1; n <= 13; n++ {
		k := InTiles(n)
		g, a, whole, tiles := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n), make(Tiles, TilesOf(k))
		for i := range g {
			g[i] = dice.NormFloat64()
		}
		for i := range n {
			for j := range n {
				whole[i*n+j] = dot(g[i*n:i*n+n], g[j*n:j*n+n])
				if i == j && i != n/2 { // one is left nearly singular
					whole[i*n+j] += 0.1
				}
				if j/3 <= i/3 {
					tiles.At(i/3, j/3)[i%3*3+j%3] = whole[i*n+j]
				}
				if j <= i && *tiles.Entry(i, j) != whole[i*n+j] {
					t.Fatalf("%d: entry %d, %d is elsewhere", n, i, j)
				}
			}
		}
		near := func(what string, i int, got, want float64) {
			t.Helper()
			if !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
				t.Errorf("%d: %s %d is %v, want %v", n, what, i, got, want)
			}
		}
		vector := func() []float64 {
			x := make([]float64, 3*k)
			for i := range n {
				x[i] = dice.NormFloat64()
			}
			return x
		}
		x, y := vector(), make([]float64, 3*k)
		tiles.Times(k, x, y)
		for i := range n {
			near("product", i, y[i], dot(whole[i*n:i*n+n], x[:n]))
		}
		copy(a, whole)
		for i := n; i < 3*k; i++ {
			*tiles.Entry(i, i) = 1
		}
		if lost := tiles.Cholesky(k, 1e-14); lost != Cholesky(a, n, 1e-14) {
			t.Errorf("%d: lost %d", n, lost)
		}
		b := vector()
		want := append([]float64(nil), b[:n]...)
		tiles.Forward(k, b)
		Forward(a, n, want)
		for i, x := range want {
			near("half", i, b[i], x)
		}
		tiles.Backward(k, b)
		Backward(a, n, want)
		for i, x := range want {
			near("solution", i, b[i], x)
		}
		// Three rows that begin within tile first.
		for first := range k {
			rows, below := make([]float64, 9*(k-first)), [3][]float64{}
			for r := range below {
				below[r] = make([]float64, n)
				for j := 3 * first; j < n; j++ {
					below[r][j] = dice.NormFloat64()
					rows[(j/3-first)*9+r*3+j%3] = below[r][j]
				}
				Forward(a, n, below[r])
			}
			tiles.Below(k, first, rows)
			var square Tile
			square.Add(rows, rows)
			v, sums := vector(), [3]float64{1, 2, 3}
			Plus(rows, v[3*first:], &sums)
			back := make([]float64, 3*(k-first))
			PlusTransposed(rows, &[3]float64{2, -1, 3}, back)
			for r := range below {
				for j := 3 * first; j < n; j++ {
					near("row", j, rows[(j/3-first)*9+r*3+j%3], below[r][j])
					near("transposed", j, back[j-3*first], 2*below[0][j]-below[1][j]+3*below[2][j])
				}
				near("sum", r, sums[r], float64(r+1)+dot(below[r], v[:n]))
				for o := range below {
					near("square", 3*r+o, square[3*r+o], dot(below[r], below[o]))
				}
			}
		}
	}
	singular := Tiles{4, 4, 2, 4, 4, 2, 2, 2, 5}
	if lost := singular.Cholesky(1, 1e-12); lost != 1 {
		t.Fatalf("lost %d, want 1", lost)
	}
	b := []float64{10, 10, 9}
	singular.Forward(1, b)
	singular.Backward(1, b)
	for i, want := range []float64{2, 0, 1} {
		if math.Abs(b[i]-want) > 1e-12 {
			t.Errorf("x[%d] = %v, want %v", i, b[i], want)
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
				left[i] = b0[i] - dot(a0[i*c.n:i*c.n+c.n], x)
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

// What columns have left is known to the last: one that depends on others but for 1e-8 of it counts, one that does so
// altogether does not, and is not taken for the other because of rounding.
func TestLeastSquaresKnowsWhatIsLeft(t *testing.T) {
	var q QR
	for seed := range uint64(50) {
		dice := rand.New(rand.NewPCG(seed, 5))
		const m, n = 30, 4
		a, b := make([]float64, m*n), make([]float64, m)
		for i := range m {
			x, y := dice.NormFloat64(), dice.NormFloat64()
			a[i*n], a[i*n+1], a[i*n+2], a[i*n+3] = x, x*0.1, x*0.7, x+1e-8*y
			b[i] = x + y
		}
		if _, rank, _ := q.LeastSquares(a, m, n, b, 1e-12); rank != 2 {
			t.Errorf("seed %d: rank %d", seed, rank)
		}
	}
}

// The reflection goes away from the column, where going towards it would leave nothing but rounding.
func TestLeastSquaresOfASteepColumn(t *testing.T) {
	var q QR
	if x, rank, _ := q.LeastSquares([]float64{1, 1e-9}, 2, 1, []float64{0, 1}, 1e-12); rank != 1 || !(math.Abs(x[0]-1e-9) <= 1e-20) {
		t.Errorf("%v, rank %d", x, rank)
	}
}

// A pivot that is nothing but rounding counts as 0.
func TestCholeskySeesRounding(t *testing.T) {
	for seed := range uint64(40) {
		dice := rand.New(rand.NewPCG(seed, 6))
		const n, rank = 9, 4
		b := make([]float64, n*rank)
		for i := range b {
			b[i] = dice.NormFloat64()
		}
		rows, tiles := make([]float64, n*n), make(Tiles, TilesOf(n/3))
		for i := range n {
			for j := range i + 1 {
				x := dot(b[i*rank:(i+1)*rank], b[j*rank:(j+1)*rank])
				rows[i*n+j], *tiles.Entry(i, j) = x, x
				if i/3 == j/3 {
					tiles.At(i/3, i/3)[j%3*3+i%3] = x
				}
			}
		}
		if a, b := Cholesky(rows, n, 1e-12), tiles.Cholesky(n/3, 1e-12); a != n-rank || b != n-rank {
			t.Errorf("seed %d: %d and %d pivots are lost, want %d", seed, a, b, n-rank)
		}
	}
}

// The column that has most left goes next, so the diagonal of R never grows, also where columns have changed places.
func TestLeastSquaresTakesTheLargestColumn(t *testing.T) {
	var q QR
	for seed := range uint64(300) {
		dice := rand.New(rand.NewPCG(seed, 8))
		m, n := 4+dice.IntN(12), 2+dice.IntN(7)
		a, b := make([]float64, m*n), make([]float64, m)
		for i := range a {
			a[i] = dice.NormFloat64() * math.Pow(float64(1+i%n), 3)
		}
		for i := range n / 2 { // some columns are nearly others
			for r := range m {
				a[r*n+n-1-i] = a[r*n+i] + 0.1*dice.NormFloat64()
			}
		}
		_, rank, _ := q.LeastSquares(a, m, n, b, 1e-12)
		for k := 1; k < rank; k++ {
			if now, before := math.Abs(a[k*n+k]), math.Abs(a[(k-1)*n+k-1]); now > before*(1+1e-9) {
				t.Fatalf("seed %d, column %d: %v behind %v", seed, k, now, before)
			}
		}
	}
}

// dot is the inner product of two vectors.
func dot(a, b []float64) (sum float64) {
	b = b[:len(a)]
	for i, x := range a {
		sum += float64(x * b[i])
	}
	return sum
}
