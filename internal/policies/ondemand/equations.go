package ondemand

import "github.com/slackline/slackline/units"

// The weights of eq. 1, fitted on wordcount.
const (
	alpha = 0.45 // of maps
	beta  = 0.45 // of reduces
	gamma = 0.10 // of the shuffle
)

// Progress is that of a job, by that of its maps, its reduces and its shuffle (eq. 1).
func Progress(maps, reduces, shuffle float64) float64 {
	return float64(alpha*maps) + float64(beta*reduces) + float64(gamma*shuffle)
}

// TaskProgress is that of a task which has run for so long, by the mean of those that have ended (eq. 2
// and 3). One that has not ended is not done.
func TaskProgress(ran, mean float64) float64 {
	const most = 1 - 1.0/1024
	if units.Rounded(mean) <= 0 {
		return 0
	}
	return min(ran/mean, most)
}

// Average is the mean progress of so many tasks (eq. 4 and 5).
func Average(sum float64, tasks int64) float64 {
	if tasks == 0 {
		return 0
	}
	return sum / float64(tasks)
}

// Shuffle is the progress of the shuffle: the part of the reduces that have been launched (eq. 6).
func Shuffle(launched, reduces int64) float64 { return Average(float64(launched), reduces) }

// Speed is what a unit does in a second, as part of the job that has come so far in held unit-seconds
// (m·t1 of eq. 7 and 9).
func Speed(p, held float64) float64 { return p / held }

// More is how many units the job needs besides the m that it has, to be done when rest is over (t2 - t1
// of eq. 8 and 10): below 0 it is ahead.
func More(p, speed, m, rest float64) float64 { return (1-p)/(speed*rest) - m }

// Demand is the units it needs over the time that is left (eq. 11).
func Demand(more, rest float64) float64 { return more / rest }

// A Claim is a job in eq. 12: it needs More units besides those that it has Held, until Left seconds
// from now.
type Claim struct{ More, Held, Left float64 }

// Short is how many units lack, 0 if those that are free are enough for the claims, which are in the
// order of their deadlines (eq. 12): the largest deficit over the time until its deadline. last is the claim by
// which it is the largest.
func Short(claims []Claim, free float64) (lack float64, last int) {
	for k := range claims {
		needs, has := 0.0, free*claims[k].Left
		for _, c := range claims[:k+1] {
			needs += float64(c.More * c.Left)
			has += float64(c.Held * (claims[k].Left - c.Left))
		}
		if d := (needs - has) / claims[k].Left; units.Rounded(d) > units.Rounded(lack) {
			lack, last = d, k
		}
	}
	return lack, last
}
