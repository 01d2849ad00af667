package units

import (
	"fmt"
	"strconv"
	"strings"
)

// Dim is one dimension of a resource vector.
type Dim uint8

// The dimensions. Slots are Hadoop 1's shares of a node; virtual cores and memory are YARN's; the named ones stand for
// whatever a cluster counts besides (GPUs, licences), by position in the cluster's list of names.
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

// Vector is an amount of every resource: what a node has, what a container needs. It is a plain array, so that it is
// compared, copied and added without allocation.
type Vector [Dims]int64

// Slots returns the vector of so many map and reduce slots and nothing else.
func Slots(maps, reduces int) Vector {
	return Vector{MapSlots: int64(maps), ReduceSlots: int64(reduces)}
}

// Fits tells whether need fits into v in every dimension.
func (v *Vector) Fits(need *Vector) bool {
	for i := range v {
		if need[i] > v[i] {
			return false
		}
	}
	return true
}

// Add adds w to v.
func (v *Vector) Add(w *Vector) {
	for i := range v {
		v[i] += w[i]
	}
}

// Sub takes w off v. The result may be negative (an over-committed node): the book records what is, and refuses elsewhere.
func (v *Vector) Sub(w *Vector) {
	for i := range v {
		v[i] -= w[i]
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
func (v Vector) String() string {
	var b strings.Builder
	b.WriteByte('{')
	for i, x := range v {
		if x == 0 {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(' ')
		}
		if Dim(i) == Memory {
			fmt.Fprintf(&b, "%s:%v", Dim(i), Bytes(x))
		} else {
			fmt.Fprintf(&b, "%s:%d", Dim(i), x)
		}
	}
	b.WriteByte('}')
	return b.String()
}
