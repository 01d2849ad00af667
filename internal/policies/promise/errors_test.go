package promise

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/units"
)

// Of all jobs as many are done by the told instants as stated, also where they take half again as long from one
// day to the next, or get slower all the time, and where it is noticed at once that an instant passes, or only at
// the end.
func TestAsOftenAsStated(t *testing.T) {
	for name, late := range map[string]func(i int) float64{
		"steady": func(int) float64 { return 0 },
		"jump":   func(i int) float64 { return float64(i/3000) * 2 },
		"drift":  func(i int) float64 { return float64(i) / 3000 },
		"days":   func(i int) float64 { return 2 * math.Sin(float64(i)/500) },
	} {
		for _, looks := range []bool{false, true} {
			random := rand.New(rand.NewPCG(1, 2))
			e, own := errs{}, finish.Sure(0)
			for i := range own {
				own[i] = 10 * finish.Score(finish.Chance(float64(i)/2-4)) // a deviation of ten seconds
			}
			const jobs = 6000
			met := [len(shell)]int{}
			for i := range jobs {
				r, now := record{}, units.Time(i)*1e9
				r.First.states(now, &statement{expected: 200, scale: 1, own: &own, errs: &e})
				end := now.Add(ofSeconds(200 + 10*(random.NormFloat64()+late(i))))
				for k, by := range r.First.By {
					if end <= by {
						met[k]++
					}
					if looks && end > by {
						e.passes(&r, by.Add(1))
					}
				}
				e.met(&r, end)
			}
			for k, n := range met {
				if is := float64(n) / jobs; math.Abs(is-shell[k]) > 0.015 {
					t.Errorf("%s, looks: %v: %.4f are done by what is told for %v", name, looks, is, shell[k])
				}
			}
		}
	}
}

// A promise that is broken counts once, at its deadline, and has the next ones ask for more; those that are kept pay
// that back, and no more.
func TestBrokenPromises(t *testing.T) {
	e, r := errs{}, record{Promised: 10_000, Until: 5e9}
	e.passes(&r, 5e9)
	if e.Sure != 0 {
		t.Fatalf("at its deadline %v", e.Sure)
	}
	e.passes(&r, 5e9+1)
	once := e.Sure
	e.met(&r, 9e9)
	if once <= 0 || e.Sure != once {
		t.Errorf("after its deadline %v, at its end %v", once, e.Sure)
	}
	z := finish.Score(0.99)
	if is := e.sure(inTime, z); math.Abs(is-z-once/3) > 1e-9 { // all are told for as much as the level
		t.Errorf("a promise asks for %v, want %v", is, z+once/3)
	}
	e.Of[inTime].Off[len(shell)-1] = 3
	if is := e.sure(inTime, z); math.Abs(is-z-once) > 1e-9 {
		t.Errorf("a promise asks for %v, want %v", is, z+once)
	}
	for range 98 {
		e.met(&record{Promised: 10_000, Until: 5e9}, 4e9)
	}
	if e.Sure <= 0 {
		t.Error("98 that are kept pay for one that is not")
	}
	for range 9 {
		e.met(&record{Promised: 10_000, Until: 5e9}, 4e9)
	}
	if e.Sure != 0 {
		t.Errorf("after 107 that are kept %v", e.Sure)
	}
}

// What is told at a score is what that score is told for.
func TestOutIsTheInverse(t *testing.T) {
	e := standing{Off: [len(shell)]float64{-1, 0.5, 0.2, 2}}
	for z := -5.0; z < 5; z += 0.1 {
		if is := e.in(e.out(z)); math.Abs(is-z) > 1e-9 {
			t.Errorf("%v comes back as %v", z, is)
		}
	}
}

// A promise asks for more where the law rests on few jobs, as the next of n deviates by √(1 + 1/n) of what they
// deviate by.
func TestFewJobsSayLittle(t *testing.T) {
	for _, n := range []float64{1, 4, 20, 500} {
		own := finish.Sure(0)
		st := statement{expected: 100, scale: 1, off: 1, own: &own, errs: &errs{}, few: 1 / (n + 1)}
		asked := (st.promises(finish.RiskOf(0.01)) - 100) / finish.Score(0.99)
		if want := math.Sqrt(1 + 1/n); asked > want+0.02 || asked < 1+(want-1)/2 {
			t.Errorf("of %v jobs: %v times as much, want some %v", n, asked, want)
		}
	}
}
