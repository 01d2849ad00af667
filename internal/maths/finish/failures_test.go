package finish

import (
	"math"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/maths/draw"
)

// disturbed are the ends of so many plays of a job on nodes that fail and do not come back. Each node has as many slots
// for maps as for reduces. Tasks of a node that fails run again, as do maps whose output it had, and no reduce
// ends before that.
func disturbed(j *Job, slots, plays int) []float64 {
	type task struct {
		stage, node int
		end         float64
	}
	all := make([]float64, plays)
	for r := range all {
		d := draw.Of(11, "play").Number(uint64(r))
		fails := make([]float64, j.Nodes)
		for n := range fails {
			fails[n] = -math.Log(1-d.Job("fails").Number(uint64(n)).Float64()) / j.Rate
		}
		order := make([]int, j.Nodes)
		for n := range order {
			order[n] = n
		}
		slices.SortFunc(order, func(a, b int) int { return int(math.Copysign(1, fails[a]-fails[b])) })
		tries, now := 0, j.Wait
		waits := [2]int{j.Maps.N, j.Reduces.N}
		var runs, done []task
		for len(order) > 0 && fails[order[0]] < now {
			order = order[1:]
		}
		for waits[0]+waits[1]+len(runs) > 0 && len(order) > 0 {
			for n := range j.Nodes {
				if fails[n] <= now {
					continue
				}
				for stage, of := range []*Tasks{&j.Maps, &j.Reduces} {
					busy := 0
					for _, t := range runs {
						if t.node == n && t.stage == stage {
							busy++
						}
					}
					for ; busy < slots && waits[stage] > 0 && (stage == 0 || len(done) >= j.Maps.N); busy++ {
						tries++
						runs = append(runs, task{stage, n, now + of.Typical*of.Own.Quantile(d.At(stage, tries, 1).Float64())})
						waits[stage]--
					}
				}
			}
			next := slices.IndexFunc(runs, func(t task) bool { return t.stage == 0 || len(done) >= j.Maps.N })
			for i := range runs {
				if (runs[i].stage == 0 || len(done) >= j.Maps.N) && runs[i].end < runs[next].end {
					next = i
				}
			}
			if next >= 0 && runs[next].end <= fails[order[0]] {
				now = max(now, runs[next].end)
				if runs[next].stage == 0 {
					done = append(done, runs[next])
				}
				runs = slices.Delete(runs, next, next+1)
				continue
			}
			now = fails[order[0]]
			for _, list := range []*[]task{&runs, &done} {
				*list = slices.DeleteFunc(*list, func(t task) bool {
					if t.node == order[0] && (t.stage == 1 || list == &runs || j.Reduces.N > 0) {
						waits[t.stage]++
						return true
					}
					return false
				})
			}
			order = order[1:]
		}
		all[r] = now
	}
	slices.Sort(all)
	return all
}

// What failures delay a job by is what plays say, or more: where nearly each job meets one, by up to a quarter.
func TestFailuresAgainstSimulations(t *testing.T) {
	plays := 20_000
	if testing.Short() {
		plays = 5_000
	}
	for _, c := range []struct {
		maps, reduces, nodes, slots int
		perJob                      float64 // failures while a job runs by itself, about
	}{{8, 0, 4, 2, 0.02}, {8, 2, 4, 2, 0.02}, {24, 2, 4, 2, 0.1}, {24, 4, 8, 2, 0.3}, {1, 1, 10, 1, 0.5}, {40, 4, 20, 2, 1}} {
		own := logNormal(0.1)
		sure := logNormal(0)
		j := &Job{Maps: Tasks{N: c.maps, Typical: 10, Own: own, Shared: sure, Slots: []Slots{{0, c.nodes * c.slots}}},
			Reduces: Tasks{N: c.reduces, Typical: 10, Own: own, Shared: sure, Slots: []Slots{{0, c.nodes * c.slots}}}}
		calm := j.Finish()
		j.Nodes, j.Rate = c.nodes, c.perJob/float64(c.nodes)/calm.Mean()
		d, all := j.Finish(), disturbed(j, c.slots, plays)
		for _, p := range []float64{0.5, 0.9, 0.99} {
			want, got, without := all[int(p*float64(plays))], d.Quantile(p), calm.Quantile(p)
			t.Logf("%+v: %v %% end by %.1f s, simulated %.1f s, without failures %.1f s", c, p*100, got, want, without)
			if got < want*0.97 || got > want*1.25 {
				t.Errorf("%+v: %v %% end by %.1f s, simulated %.1f s", c, p*100, got, want)
			}
		}
	}
}

// Where several nodes fail while a job runs, their shares of the slots are gone one after the other: what that delays
// it by is the sum of as many times as there are failures.
func TestSharesThatAreGoneAddUp(t *testing.T) {
	const plays, most = 20_000, 25.0 // of 100 s, if one of five nodes is gone from the beginning
	for _, often := range []float64{0.1, 0.7, 2, 4} {
		all := make([]float64, plays)
		for r := range all {
			d := draw.Of(12, "play").Number(uint64(r))
			at := 0.0
			for k := 0; ; k++ {
				if at -= math.Log(1-d.At(0, k, 0).Float64()) / often; at > 1 {
					break
				}
				all[r] += most * (1 - at)
			}
		}
		slices.Sort(all)
		f := Failures{Nodes: 5, Rate: often / 5 / 100}
		d := f.setback(&Job{}, 100)
		for _, p := range []float64{0.5, 0.9, 0.99} {
			if want, got := all[int(p*plays)], d.Quantile(p); math.Abs(got-want) > 0.06*want+1 {
				t.Errorf("%v failures: %v %% are delayed by up to %.1f s, played %.1f s", often, p*100, got, want)
			}
		}
	}
}
