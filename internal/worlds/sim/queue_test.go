package sim

import (
	"testing"

	"github.com/slackline/slackline/units"
	"pgregory.net/rapid"
)

// TestDueIsOrderedByTimeThenKey: the order of entries without a branch is that of comparing them part by part.
func TestDueIsOrderedByTimeThenKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one := func(name string) due {
			return due{at: units.Time(rapid.Int64Range(0, int64(units.Never)).Draw(t, name)), key: rapid.Uint64().Draw(t, name)}
		}
		a, b := one("a"), one("b")
		if rapid.Bool().Draw(t, "same time") {
			b.at = a.at
		}
		want := a.at < b.at || a.at == b.at && a.key < b.key
		if got := a.before(&b); got != want {
			t.Errorf("%+v before %+v: %v, want %v", a, b, got, want)
		}
	})
}
