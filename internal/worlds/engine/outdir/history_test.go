package outdir

import (
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/units"
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

// What a larger input changes is told of the input, though the block that follows from its size has
// changed as well.
func TestGrownInputIsToldBeforeItsBlock(t *testing.T) {
	of := func(size int64) *Description {
		return Describe([]Fact{{BlockFact, input.Block(units.Bytes(size), 2).String()}}, []InputFile{{Path: "x", Size: size}},
			[]input.Split{{Pieces: []input.Piece{{Path: "x", End: size}}, Size: size}})
	}
	if what := of(100 << 20).differs(of(200 << 20)); !strings.HasPrefix(what, `input "x" has changed: it has 209715200 bytes now`) {
		t.Error(what)
	}
}
