package bounds

import "math"

// A Machine is how many tasks of each phase it runs at once: c_M and c_R, both above 0. It runs so
// many maps or so many reduces, or a mixture in between: half its maps leave room for half its
// reduces. Where slots themselves are counted, both are 1.
type Machine struct{ Maps, Reduces float64 }

// A Need is what one concurrent job needs to meet its deadline. So many jobs need so many times as much.
type Need struct {
	Maps, Reduces float64 // slots
	Machines      float64 // γ, equations 29 and 30: Maps/c_M + Reduces/c_R
}

// Least is the need with the fewest machines (equations 22 and 23, times h). It is not there, and ok
// false, if the deadline is not above Limit.
func (l Line) Least(deadline float64, m Machine) (need Need, ok bool) {
	rest := deadline - l.C // -E: what is left for both phases
	if !(deadline > l.Limit()) || math.IsInf(rest, 0) {
		return Need{}, false
	}
	maps, reduces := l.LeastMaps, l.LeastReduces
	if l.A <= 0 { // more slots than the least do not help
		rest -= over(l.A, maps)
	}
	if l.B <= 0 {
		rest -= over(l.B, reduces)
	}
	switch {
	case l.A > 0 && l.B > 0:
		// Equation 22; but no more than are needed when the reduces have their least already.
		maps = (math.Sqrt(l.A*m.Maps/m.Reduces)*math.Sqrt(l.B) + l.A) / rest
		if still := rest - l.B/l.LeastReduces; still > 0 {
			maps = min(maps, l.A/still)
		}
		maps = max(maps, l.LeastMaps)
		if maps == l.LeastMaps && maps > 0 {
			reduces = max(reduces, l.B/(rest-l.A/maps))
		} else {
			// Equation 23, which keeps the digits that a difference would lose.
			reduces = max(reduces, (math.Sqrt(l.A*m.Reduces/m.Maps)*math.Sqrt(l.B)+l.B)/rest)
		}
	case l.A > 0:
		maps = max(maps, l.A/rest)
	case l.B > 0:
		reduces = max(reduces, l.B/rest)
	}
	return Need{maps, reduces, maps/m.Maps + reduces/m.Reduces}, true
}
