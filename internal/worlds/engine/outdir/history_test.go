package outdir

import (
	"strings"
	"testing"
)

// An input that was overwritten and got its size and time back is another one, where the system tells.
func TestInputIsKnownByItsInode(t *testing.T) {
	is := func(node uint64, changed int64) *Description {
		return Describe(nil, []InputFile{{Path: "x", Size: 1, Node: node, Changed: changed}}, nil)
	}
	for _, c := range []struct {
		was, now *Description
		differs  bool
	}{
		{is(1, 2), is(1, 2), false}, {is(1, 2), is(1, 3), true}, {is(1, 2), is(2, 2), true}, {is(0, 0), is(1, 2), false}, {is(1, 2), is(0, 0), false},
	} {
		if what := c.was.differs(c.now); strings.Contains(what, `input "x" has changed`) != c.differs || !c.differs && what != "" {
			t.Errorf("%+v, %+v: %s", c.was.Input, c.now.Input, what)
		}
	}
}
