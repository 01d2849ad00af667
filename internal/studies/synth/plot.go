package synth

import (
	"fmt"
	"html"
	"io"
	"math"
	"strings"

	"github.com/slackline/slackline/internal/maths/stat"
)

// Plot draws four pictures as one SVG: jobs by hour of the day, and the distributions of gaps
// between arrivals (beside that of a Poisson process), of bytes and of tasks.
func (s *Stats) Plot(w io.Writer, title string) error {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 700" width="1000" height="700" font-family="sans-serif" font-size="12">
<rect width="1000" height="700" fill="white"/>
<text x="500" y="24" text-anchor="middle" font-size="16">%s: %d jobs</text>
`, html.EscapeString(title), s.Jobs)
	s.hours(&b, panel{70, 60, 400, 240})
	gaps := []curve{{"gaps", s.gaps.distribution()}}
	if s.GapMean > 0 {
		gaps = append(gaps, curve{"Poisson process", exponential(s.GapMean)})
	}
	panel{560, 60, 400, 240}.distributions(&b, "gap between arrivals", "s", gaps)
	panel{70, 400, 400, 240}.distributions(&b, "bytes of a job", "B", s.curves(ofInput, ofShuffle, ofOutput))
	panel{560, 400, 400, 240}.distributions(&b, "tasks of a job; seconds of a task", "", s.curves(ofTasks, ofTime))
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// panel is where a picture stands, without its scales.
type panel struct{ x, y, width, height float64 }

// curve is a distribution function with a name.
type curve struct {
	name   string
	points []point
}

func (s *Stats) curves(of ...int) (all []curve) {
	for _, i := range of {
		if s.sketches[i].n > 0 {
			all = append(all, curve{quantityNames[i][0], s.sketches[i].distribution()})
		}
	}
	return all
}

// exponential is the distribution function of gaps of a Poisson process of that mean gap.
func exponential(mean float64) (points []point) {
	for e := -3.0; e <= 1; e += 0.05 {
		x := mean * math.Pow(10, e)
		points = append(points, point{x, 1 - math.Exp(-x/mean)})
	}
	return points
}

// colours are told apart also by those who see few of them (Okabe and Ito, 2008).
var colours = [...]string{"#0072b2", "#d55e00", "#009e73"}

func (p panel) frame(b *strings.Builder, title string) {
	fmt.Fprintf(b, `<text x="%.0f" y="%.0f" text-anchor="middle" font-size="14">%s</text>
<path d="M%.0f %.0fv%.0fh%.0f" fill="none" stroke="black"/>
`, p.x+p.width/2, p.y-8, html.EscapeString(title), p.x, p.y, p.height, p.width)
}

// tick writes a number below the picture, or with side to its left, and a line across.
func (p panel) tick(b *strings.Builder, side bool, at float64, text string) {
	if side {
		y := p.y + p.height*(1-at)
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="end">%s</text><path d="M%.1f %.1fh%.1f" stroke="#ddd"/>`+"\n", p.x-5, y+4, text, p.x, y, p.width)
		return
	}
	x := p.x + p.width*at
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle">%s</text><path d="M%.1f %.1fv4" stroke="black"/>`+"\n", x, p.y+p.height+18, text, x, p.y+p.height)
}

func (s *Stats) hours(b *strings.Builder, p panel) {
	most := 1
	for _, h := range s.Hours {
		most = max(most, h.Jobs)
	}
	top := 4 * stat.Step(float64(most)/4)
	for i := range 5 {
		p.tick(b, true, float64(i)/4, number(top*float64(i)/4))
	}
	for i, h := range s.Hours {
		high := p.height * float64(h.Jobs) / top
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"><title>hour %d: %d jobs</title></rect>`+"\n",
			p.x+p.width*float64(i)/24+1, p.y+p.height-high, p.width/24-2, high, colours[0], i, h.Jobs)
		if i%4 == 0 {
			p.tick(b, false, (float64(i)+0.5)/24, fmt.Sprint(i))
		}
	}
	p.frame(b, "jobs by hour of the day, from the start of the trace")
}

// distributions draws distribution functions over a logarithmic scale.
func (p panel) distributions(b *strings.Builder, title, unit string, curves []curve) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, c := range curves {
		for _, q := range c.points {
			low, high = min(low, q.x), max(high, q.x)
		}
	}
	p.frame(b, title+", part up to")
	if low > high {
		fmt.Fprintf(b, `<text x="%.0f" y="%.0f" text-anchor="middle">nothing is known</text>`+"\n", p.x+p.width/2, p.y+p.height/2)
		return
	}
	from, to := math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	to = max(to, from+1)
	for i := range 5 {
		p.tick(b, true, float64(i)/4, fmt.Sprintf("%d %%", 25*i))
	}
	step := math.Ceil((to - from) / 8)
	for e := from; e <= to; e += step {
		p.tick(b, false, (e-from)/(to-from), number(math.Pow(10, e))+unit)
	}
	for i, c := range curves {
		fmt.Fprintf(b, `<text x="%.0f" y="%.0f" fill="%s">%s</text><path d="`, p.x+8, p.y+14+16*float64(i), colours[i], html.EscapeString(c.name))
		for k, q := range c.points {
			verb := 'L'
			if k == 0 {
				verb = 'M'
			}
			fmt.Fprintf(b, "%c%.1f %.1f", verb, p.x+p.width*(math.Log10(q.x)-from)/(to-from), p.y+p.height*(1-q.y))
		}
		dash := ""
		if c.name == "Poisson process" {
			dash = ` stroke-dasharray="5 4"`
		}
		fmt.Fprintf(b, `" fill="none" stroke="%s" stroke-width="1.5"%s/>`+"\n", colours[i], dash)
	}
}

// number prints a number in three digits or so, with a letter for thousands.
func number(x float64) string {
	for _, u := range []struct {
		of   float64
		name string
	}{{1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if x >= u.of {
			return fmt.Sprintf("%.3g%s", x/u.of, u.name)
		}
	}
	return fmt.Sprintf("%.3g", x)
}
