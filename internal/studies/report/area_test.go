package report

import (
	"math"
	bignum "math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/slackline/slackline/units"
)

// Areas and their means are those of whole numbers without bounds, rounded once.
func TestArea(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a area
		sum, until := new(bignum.Int), units.Time(0)
		for range rapid.IntRange(1, 20).Draw(t, "pieces") {
			amount := rapid.OneOf(rapid.Int64Range(0, 100), rapid.Int64Range(0, 1<<62)).Draw(t, "amount")
			span := units.Duration(rapid.OneOf(rapid.Int64Range(0, 100), rapid.Int64Range(0, 1<<58)).Draw(t, "span"))
			a.add(amount, span)
			sum.Add(sum, new(bignum.Int).Mul(bignum.NewInt(amount), bignum.NewInt(int64(span))))
			until = until.Add(span)
		}
		if got := new(bignum.Int).Add(new(bignum.Int).Lsh(new(bignum.Int).SetUint64(a.high), 64), new(bignum.Int).SetUint64(a.low)); got.Cmp(sum) != 0 {
			t.Fatalf("%v, want %v", got, sum)
		}
		if until > 0 {
			want, _ := new(bignum.Rat).SetFrac(sum, bignum.NewInt(int64(until))).Float64()
			if got := a.over(until); math.Abs(got-want) > 1e-15*want {
				t.Fatalf("%v over %d is %v, want %v", sum, until, got, want)
			}
		}
	})
}

// What is there from the start to the end is a whole number, whatever the makespan and the number of steps.
func TestAreaWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		amount := rapid.Int64Range(0, 1<<53).Draw(t, "amount")
		var a area
		until := units.Time(0)
		for range rapid.IntRange(1, 50).Draw(t, "steps") {
			span := units.Duration(rapid.Int64Range(1, 1e15).Draw(t, "span"))
			a.add(amount, span)
			until = until.Add(span)
		}
		if got := a.over(until); got != float64(amount) {
			t.Fatalf("%v, want %d", got, amount)
		}
		if part, there := a.of(a); there != (amount > 0) || there && part != 1 {
			t.Fatal(part, there)
		}
	})
}
