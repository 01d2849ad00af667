package profile

import (
	"encoding/binary"
	"errors"

	"github.com/slackline/slackline/workload"
)

// Lent is what other classes borrow from the class, its models and tails alone, so that whoever fits one class
// need not read all that is known of all others.
func (c *Class) Lent() []byte {
	var f []float64
	add := func(x ...float64) { f = append(f, x...) }
	for _, m := range c.Told().Models {
		if m.Node == "" {
			add(1, float64(m.Stage), float64(m.Part), m.Fixed, m.PerByte, m.PerRecord, m.Beside, m.Jobs)
			for _, x := range []*Factor{&m.Shared, &m.Own, &m.Total} {
				add(append(x.Log[:], x.Tail)...)
			}
		}
	}
	add(0)
	for _, r := range restsOf(c.Told()) {
		add(float64(r.Stage), float64(r.Part))
		for _, b := range []*beyond{&r.own, &r.total} {
			add(float64(b.values), float64(len(b.spread)))
			for _, bin := range b.spread {
				add(float64(bin.At), float64(bin.N))
			}
		}
	}
	data, _ := binary.Append(nil, binary.LittleEndian, f) // which fails for no list of numbers
	return data
}

// errLent says that it is not what Lent makes.
var errLent = errors.New("what other classes borrow from it cannot be read")

// Lender is the class of a name of which nothing is known but what Lent says.
func Lender(name string, lent []byte) (*Class, error) {
	c, f, short := New(name), make([]float64, len(lent)/8), len(lent)%8 != 0
	_, err := binary.Decode(lent, binary.LittleEndian, f)
	take := func() (x float64) {
		if short = short || len(f) == 0; !short {
			x, f = f[0], f[1:]
		}
		return x
	}
	key := func() Key { return Key{Stage: workload.Stage(take()), Part: Part(take())} }
	for take() == 1 {
		m := &Model{Key: key(), Fixed: take(), PerByte: take(), PerRecord: take(), Beside: take(), Jobs: take()}
		for _, x := range []*Factor{&m.Shared, &m.Own, &m.Total} {
			for i := range x.Log {
				x.Log[i] = take()
			}
			x.Tail = take()
		}
		c.Models = append(c.Models, m)
	}
	for len(f) > 0 && !short {
		r := Rest{Key: key()}
		for _, b := range []*beyond{&r.own, &r.total} {
			b.values = int64(take())
			for n := take(); n > 0 && !short; n-- {
				b.spread = append(b.spread, Bin{int(take()), int64(take())})
			}
		}
		c.Rests = append(c.Rests, r)
	}
	if err != nil || short {
		return nil, errLent
	}
	return c, nil
}
