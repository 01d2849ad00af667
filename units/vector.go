package units

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Dim is one dimension of a resource vector.
type Dim uint8

// The dimensions. Slots are Hadoop 1's shares of a node; virtual cores and memory are YARN's; the
// named ones stand for whatever a cluster counts besides (GPUs, licences), by position in the
// cluster's list of names.
const (
	MapSlots Dim = iota
	ReduceSlots
	VCores
	Memory // bytes
	Named0
	Named1
	Named2
	Named3
	Dims // their number
)

var dimNames = [Dims]string{"map", "reduce", "vcores", "memory", "named0", "named1", "named2", "named3"}

// String names the dimension.
func (d Dim) String() string {
	if d < Dims {
		return dimNames[d]
	}
	return "dim" + strconv.Itoa(int(d))
}

// Vector is an amount of every resource: what a node has, what a container needs. It is a plain
// array, so that it is compared, copied and added without allocation.
type Vector [Dims]int64

// Slots returns the vector of so many map and reduce slots and nothing else.
func Slots(maps, reduces int) Vector {
	return Vector{MapSlots: int64(maps), ReduceSlots: int64(reduces)}
}

// Fits tells whether need fits into v in every dimension. This, Add and Sub stand in the
// simulator's innermost loop some ten times for each task, and are written out as the compiler
// does not unroll loops.
func (v *Vector) Fits(need *Vector) bool {
	return need[0] <= v[0] && need[1] <= v[1] && need[2] <= v[2] && need[3] <= v[3] &&
		need[4] <= v[4] && need[5] <= v[5] && need[6] <= v[6] && need[7] <= v[7]
}

// Add adds w to v.
func (v *Vector) Add(w *Vector) {
	v[0] += w[0]
	v[1] += w[1]
	v[2] += w[2]
	v[3] += w[3]
	v[4] += w[4]
	v[5] += w[5]
	v[6] += w[6]
	v[7] += w[7]
}

// Sub takes w off v. The result may be negative (an over-committed node): the book records what is,
// and refuses elsewhere.
func (v *Vector) Sub(w *Vector) {
	v[0] -= w[0]
	v[1] -= w[1]
	v[2] -= w[2]
	v[3] -= w[3]
	v[4] -= w[4]
	v[5] -= w[5]
	v[6] -= w[6]
	v[7] -= w[7]
}

// Need is a vector that is added and taken off over and over, such as what a container takes of its
// node. It knows in which dimensions it is not 0, which are few.
type Need struct {
	Vector
	dims uint8 // by bit
}

// NeedOf returns the need of so much.
func NeedOf(v Vector) Need {
	n := Need{Vector: v}
	for d, by := range v {
		if by != 0 {
			n.dims |= 1 << d
		}
	}
	return n
}

// Meets tells whether two needs are of a dimension that both have.
func (n *Need) Meets(o *Need) bool { return n.dims&o.dims != 0 }

// AddTo adds the need to v so many times, which may be negative.
func (n *Need) AddTo(v *Vector, times int64) {
	for rest := n.dims; rest != 0; rest &= rest - 1 {
		d := bits.TrailingZeros8(rest) & 7
		v[d] += times * n.Vector[d]
	}
}

// Times returns how often need fits into v where it needs anything, and 0 for an empty need.
func (v *Vector) Times(need *Vector) int64 {
	n, asks := int64(0), false
	for i := range v {
		if need[i] <= 0 {
			continue
		}
		if q := max(v[i]/need[i], 0); !asks || q < n {
			n, asks = q, true
		}
	}
	return n
}

// Negative returns the first dimension below zero, if there is one.
func (v *Vector) Negative() (Dim, bool) {
	for i := range v {
		if v[i] < 0 {
			return Dim(i), true
		}
	}
	return 0, false
}

// String prints the dimensions that are not zero: "{map:2 reduce:1 memory:8GB}".
func (v Vector) String() string { return v.Words(nil) }

// Words is String with the cluster's names of Named0 and following.
func (v Vector) Words(named []string) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, x := range v {
		if x == 0 {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(' ')
		}
		name := Dim(i).String()
		if k := i - int(Named0); k >= 0 && k < len(named) {
			name = named[k]
		}
		if Dim(i) == Memory {
			fmt.Fprintf(&b, "%s:%v", name, Bytes(x))
		} else {
			fmt.Fprintf(&b, "%s:%d", name, x)
		}
	}
	b.WriteByte('}')
	return b.String()
}
