package capacity

import "github.com/slackline/slackline/internal/maths/bounds"

// Phase is how long the maps or the reduces of a job take, without the first shuffle.
type Phase struct {
	Stage string  `json:"stage"`
	Low   float64 `json:"low_s"`
	Up    float64 `json:"up_s"`
}

// phases are those of a job that has tasks, by a bound of each.
func phases(j bounds.Job, of func(p bounds.Phase, stage int) (low, up float64)) (list []Phase) {
	for s, p := range j.Phases() {
		if p.Tasks > 0 {
			low, up := of(p, s)
			list = append(list, Phase{[]string{"map", "reduce"}[s], low, up})
		}
	}
	return list
}

// A Pair is how long the maps, or the reduces, of one job of each of two classes take that begin together on the
// slots that the plan has for both (propositions 2.2 and 2.3).
type Pair struct {
	Stage string     `json:"stage"`
	First float64    `json:"first_low_s"` // none is done before, where slots are handed over when a job ends
	Last  float64    `json:"last_low_s"`  // not both are done before
	Up    [2]float64 `json:"up_s"`        // each is done by then, where slots are lent as soon as no task waits
}

// pairs are those of two jobs with tasks of a kind, and a slot or more for each.
func pairs(jobs [2]bounds.Job, needs [2]bounds.Need) (list []Pair) {
	a, b := jobs[0].Phases(), jobs[1].Phases()
	for s, name := range []string{"map", "reduce"} {
		x, y := [2]float64{needs[0].Maps, needs[0].Reduces}[s], [2]float64{needs[1].Maps, needs[1].Reduces}[s]
		if a[s].Tasks == 0 || b[s].Tasks == 0 || x < 1 || y < 1 {
			continue
		}
		share, slots := x/(x+y), x+y
		first, last := bounds.TwoLower(a[s], b[s], share, slots)
		list = append(list, Pair{name, first, last, [2]float64{a[s].UpperBeside(b[s], share, slots), b[s].UpperBeside(a[s], 1-share, slots)}})
	}
	return list
}
