package dense

import "math"

// Tiles is a symmetric matrix, or its factor, in tiles of 3×3: those on the diagonal and left of
// it, row by row. Each is worked on whole, without loops, which makes small matrices several times
// as fast as by rows. Matrices and vectors are filled up with zeroes to whole tiles.
type Tiles []float64

// Tile is one tile, by rows.
type Tile [9]float64

// InTiles is how many tiles there are along n values.
func InTiles(n int) int { return (n + 2) / 3 }

// TilesOf is how many numbers make up a symmetric matrix of so many tiles along.
func TilesOf(k int) int { return k * (k + 1) / 2 * 9 }

// At is tile j ≤ i of row i.
func (t Tiles) At(i, j int) *Tile {
	at := (i*(i+1)/2 + j) * 9
	return (*Tile)(t[at : at+9])
}

// Entry is where entry j ≤ i of row i stands.
func (t Tiles) Entry(i, j int) *float64 { return &t.At(i/3, j/3)[i%3*3+j%3] }

// tileOf is tile i of those that stand in a row.
func tileOf(row []float64, i int) *Tile { return (*Tile)(row[i*9 : i*9+9]) }

// Three is part i of a vector.
func Three(x []float64, i int) *[3]float64 { return (*[3]float64)(x[i*3 : i*3+3]) }

// Cholesky puts the factor L of A = L Lᵀ in place of A, of k tiles along, as the function of that
// name does.
func (t Tiles) Cholesky(k int, least float64) (lost int) {
	for i := range k {
		for j := range i {
			x := t.At(i, j)
			for m := range j {
				x.subtract(t.At(i, m), t.At(j, m))
			}
			x.solve(t.At(j, j))
		}
		d := t.At(i, i)
		whole := [3]float64{d[0], d[4], d[8]}
		for m := range i {
			x := t.At(i, m)
			d.subtract(x, x)
		}
		lost += d.cholesky(&whole, least)
	}
	return lost
}

// Below solves X Lᵀ = B for three rows, which are zero before tile first; x has the tiles from
// there on.
func (t Tiles) Below(k, first int, x []float64) {
	for j := first; j < k; j++ {
		to := tileOf(x, j-first)
		for m := first; m < j; m++ {
			to.subtract(tileOf(x, m-first), t.At(j, m))
		}
		to.solve(t.At(j, j))
	}
}

// Forward puts L⁻¹ b in place of b.
func (t Tiles) Forward(k int, b []float64) {
	for i := range k {
		x := Three(b, i)
		for j := range i {
			t.At(i, j).minus(x, Three(b, j))
		}
		l := t.At(i, i)
		p := x[0] * l[0]
		q := (x[1] - float64(l[3]*p)) * l[4]
		x[0], x[1] = p, q
		x[2] = (x[2] - float64(l[6]*p) - float64(l[7]*q)) * l[8]
	}
}

// Backward puts L⁻ᵀ b in place of b.
func (t Tiles) Backward(k int, b []float64) {
	for i := k - 1; i >= 0; i-- {
		x := Three(b, i)
		l := t.At(i, i)
		r := x[2] * l[8]
		q := (x[1] - float64(l[7]*r)) * l[4]
		x[0] = (x[0] - float64(l[6]*r) - float64(l[3]*q)) * l[0]
		x[1], x[2] = q, r
		for j := range i {
			t.At(i, j).minusTransposed(Three(b, j), x)
		}
	}
}

// Times puts A x into y, where t has A.
func (t Tiles) Times(k int, x, y []float64) {
	clear(y)
	for i := range k {
		to, from := Three(y, i), Three(x, i)
		for j := range i {
			a := t.At(i, j)
			a.plus(to, Three(x, j))
			a.plusTransposed(Three(y, j), from)
		}
		t.At(i, i).plus(to, from)
	}
}

// Add puts C + A Bᵀ in place of C, where rows of A and B stand in tiles.
func (c *Tile) Add(a, b []float64) {
	for i := range len(a) / 9 {
		c.add(tileOf(a, i), tileOf(b, i))
	}
}

// Plus adds A x to y, where A stands in tiles.
func Plus(a, x []float64, y *[3]float64) {
	for i := range len(a) / 9 {
		tileOf(a, i).plus(y, Three(x, i))
	}
}

// PlusTransposed adds Aᵀ x to y, where A stands in tiles.
func PlusTransposed(a []float64, x *[3]float64, y []float64) {
	for i := range len(a) / 9 {
		tileOf(a, i).plusTransposed(Three(y, i), x)
	}
}

// subtract takes A Bᵀ away.
func (c *Tile) subtract(a, b *Tile) {
	x, y, z := a[0], a[1], a[2]
	c[0] = c[0] - float64(x*b[0]) - float64(y*b[1]) - float64(z*b[2])
	c[1] = c[1] - float64(x*b[3]) - float64(y*b[4]) - float64(z*b[5])
	c[2] = c[2] - float64(x*b[6]) - float64(y*b[7]) - float64(z*b[8])
	x, y, z = a[3], a[4], a[5]
	c[3] = c[3] - float64(x*b[0]) - float64(y*b[1]) - float64(z*b[2])
	c[4] = c[4] - float64(x*b[3]) - float64(y*b[4]) - float64(z*b[5])
	c[5] = c[5] - float64(x*b[6]) - float64(y*b[7]) - float64(z*b[8])
	x, y, z = a[6], a[7], a[8]
	c[6] = c[6] - float64(x*b[0]) - float64(y*b[1]) - float64(z*b[2])
	c[7] = c[7] - float64(x*b[3]) - float64(y*b[4]) - float64(z*b[5])
	c[8] = c[8] - float64(x*b[6]) - float64(y*b[7]) - float64(z*b[8])
}

// add adds A Bᵀ.
func (c *Tile) add(a, b *Tile) {
	x, y, z := a[0], a[1], a[2]
	c[0] = c[0] + float64(x*b[0]) + float64(y*b[1]) + float64(z*b[2])
	c[1] = c[1] + float64(x*b[3]) + float64(y*b[4]) + float64(z*b[5])
	c[2] = c[2] + float64(x*b[6]) + float64(y*b[7]) + float64(z*b[8])
	x, y, z = a[3], a[4], a[5]
	c[3] = c[3] + float64(x*b[0]) + float64(y*b[1]) + float64(z*b[2])
	c[4] = c[4] + float64(x*b[3]) + float64(y*b[4]) + float64(z*b[5])
	c[5] = c[5] + float64(x*b[6]) + float64(y*b[7]) + float64(z*b[8])
	x, y, z = a[6], a[7], a[8]
	c[6] = c[6] + float64(x*b[0]) + float64(y*b[1]) + float64(z*b[2])
	c[7] = c[7] + float64(x*b[3]) + float64(y*b[4]) + float64(z*b[5])
	c[8] = c[8] + float64(x*b[6]) + float64(y*b[7]) + float64(z*b[8])
}

// solve puts C L⁻ᵀ in place of C.
func (c *Tile) solve(l *Tile) {
	p, q, r, s, t, u := l[0], l[3], l[4], l[6], l[7], l[8]
	x, y, z := c[0]*p, c[3]*p, c[6]*p
	c[0], c[3], c[6] = x, y, z
	d, e, f := (c[1]-float64(q*x))*r, (c[4]-float64(q*y))*r, (c[7]-float64(q*z))*r
	c[1], c[4], c[7] = d, e, f
	c[2] = (c[2] - float64(s*x) - float64(t*d)) * u
	c[5] = (c[5] - float64(s*y) - float64(t*e)) * u
	c[8] = (c[8] - float64(s*z) - float64(t*f)) * u
}

// cholesky factors a tile on the diagonal, of which whole is the diagonal before others were taken
// away.
func (c *Tile) cholesky(whole *[3]float64, least float64) (lost int) {
	p, q, r := 0.0, 0.0, 0.0
	if c[0] > least*whole[0] {
		p = 1 / math.Sqrt(c[0])
	} else {
		lost++
	}
	x, y := c[3]*p, c[6]*p
	if d := c[4] - float64(x*x); d > least*whole[1] {
		q = 1 / math.Sqrt(d)
	} else {
		lost++
	}
	z := (c[7] - float64(x*y)) * q
	if d := c[8] - float64(y*y) - float64(z*z); d > least*whole[2] {
		r = 1 / math.Sqrt(d)
	} else {
		lost++
	}
	c[0], c[3], c[4], c[6], c[7], c[8] = p, x, q, y, z, r
	return lost
}

func (a *Tile) plus(y, x *[3]float64) {
	p, q, r := x[0], x[1], x[2]
	y[0] = y[0] + float64(a[0]*p) + float64(a[1]*q) + float64(a[2]*r)
	y[1] = y[1] + float64(a[3]*p) + float64(a[4]*q) + float64(a[5]*r)
	y[2] = y[2] + float64(a[6]*p) + float64(a[7]*q) + float64(a[8]*r)
}

func (a *Tile) plusTransposed(y, x *[3]float64) {
	p, q, r := x[0], x[1], x[2]
	y[0] = y[0] + float64(a[0]*p) + float64(a[3]*q) + float64(a[6]*r)
	y[1] = y[1] + float64(a[1]*p) + float64(a[4]*q) + float64(a[7]*r)
	y[2] = y[2] + float64(a[2]*p) + float64(a[5]*q) + float64(a[8]*r)
}

func (a *Tile) minus(y, x *[3]float64) {
	p, q, r := x[0], x[1], x[2]
	y[0] = y[0] - float64(a[0]*p) - float64(a[1]*q) - float64(a[2]*r)
	y[1] = y[1] - float64(a[3]*p) - float64(a[4]*q) - float64(a[5]*r)
	y[2] = y[2] - float64(a[6]*p) - float64(a[7]*q) - float64(a[8]*r)
}

func (a *Tile) minusTransposed(y, x *[3]float64) {
	p, q, r := x[0], x[1], x[2]
	y[0] = y[0] - float64(a[0]*p) - float64(a[3]*q) - float64(a[6]*r)
	y[1] = y[1] - float64(a[1]*p) - float64(a[4]*q) - float64(a[7]*r)
	y[2] = y[2] - float64(a[2]*p) - float64(a[5]*q) - float64(a[8]*r)
}
