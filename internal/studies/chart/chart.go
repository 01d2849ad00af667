// Package chart draws values over names as SVG: lines or bars with intervals, for a page or as a file of its own.
package chart

import (
	"fmt"
	"html"
	"math"
	"strings"

	"github.com/slackline/slackline/internal/maths/stat"
)

// Colours are told apart also by those who see few of them (Okabe and Ito, 2008).
var Colours = [...]string{"#0072b2", "#d55e00", "#009e73", "#a15c8a", "#888"}

// Chart is values over names side by side.
type Chart struct {
	Title  string // for those who do not see it
	X, Y   string // what stands along and up; "" = it is said elsewhere
	Ticks  []string
	Under  []string // what ticks have in common; where it changes a line begins again; nil = nothing
	Lines  []Line
	Bars   bool                   // in groups, in place of lines
	Share  bool                   // no value is above 1
	Number func(v float64) string // writes one of the scale
}

// Line is values that belong together.
type Line struct {
	Name   string
	Colour int // in Colours
	At     []Point
}

// Point is a value with its interval over the tick of that index.
type Point struct {
	Tick             int
	Value, Low, High float64
	Published        *float64
	Said             string // to who points at it
}

const (
	width, left     = 640, 72
	wide, high      = width - left - 14.0, 220.0
	letter, textRow = 6.6, 18 // how wide and high a letter is, on the average
)

// style is what a page says of the classes, for a file of its own on a light or a dark ground.
const style = `<style>svg { font: 12px sans-serif; } text { fill: #1c1e21; } .ground { fill: #fff; } .grid { stroke: #ccc; } path, .ring { fill: none; }
.axis, .whisker, .ring { stroke: #1c1e21; }
@media (prefers-color-scheme: dark) { text { fill: #e8e6e1; } .ground { fill: #14171a; } .grid { stroke: #353b43; } .axis, .whisker, .ring { stroke: #e8e6e1; } }</style>
<rect class="ground" width="100%" height="100%"/>`

// File is the chart as a file of its own, with its ground.
func (c *Chart) File() string {
	first, rest, _ := strings.Cut(c.SVG(), "\n")
	return first + "\n" + style + "\n" + rest
}

// SVG is the chart as an element of a page.
func (c *Chart) SVG() string {
	var b strings.Builder
	text := func(x, y float64, anchor, said string) {
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`, x, y, anchor, html.EscapeString(said))
	}
	// Lines are named in as many rows as they take.
	lower, at := 18.0, float64(left)
	if c.Y != "" {
		text(left, lower, "start", c.Y)
		lower += textRow
	}
	for i, l := range c.Lines {
		across := 40 + letter*float64(len(l.Name))
		if at+across-17 > width && at > left {
			at, lower = left, lower+textRow
		}
		thick, dash := 3, dashes(i)
		if c.Bars {
			thick, dash = 12, ""
		}
		fmt.Fprintf(&b, `<path d="M%.0f %.0fh18" stroke="%s" stroke-width="%d" stroke-dasharray="%s"/>`, at, lower-4, Colours[l.Colour], thick, dash)
		text(at+23, lower, "start", l.Name)
		at += across
	}
	lower += 16
	from, to, every := c.scale()
	y := func(v float64) float64 { return lower + high*(1-(min(to, max(from, v))-from)/(to-from)) }
	for v := from; v <= to+every/2; v += every {
		fmt.Fprintf(&b, `<path class="grid" d="M%d %.1fh%.1f"/>`, left, y(v), wide)
		text(left-6, y(v)+4, "end", c.Number(v))
	}
	fmt.Fprintf(&b, `<path class="axis" d="M%d %.1fv%.1fh%.1f"/>`, left, lower, high, wide)
	step := wide / float64(len(c.Ticks))
	x := func(tick float64) float64 { return left + step*(tick+0.5) }
	below := lower + high + textRow
	rows, each := c.rows(step)
	most := 1
	for i := 0; i < len(rows); i += each {
		for k, row := range rows[i] {
			text(x(float64(i)), below+float64(textRow*k), "middle", row)
		}
		most = max(most, len(rows[i]))
	}
	below += float64(textRow * most)
	for i, k := 0, 0; i < len(c.Under); i = k {
		for k = i + 1; k < len(c.Under) && c.Under[k] == c.Under[i]; k++ {
		}
		if k-i >= len(c.Ticks)/6 && k-i < len(c.Ticks) { // else there is no room, or no other
			text(x(float64(i+k-1)/2), below, "middle", c.Under[i])
		}
	}
	if c.Under != nil {
		below += textRow
	}
	text(left+wide/2, below, "middle", c.X)
	for i, l := range c.Lines {
		apart := min(4, step/16) // so that each interval is seen
		if c.Bars {
			apart = step * 0.8 / float64(len(c.Lines))
		}
		path, verb := "", "M"
		for k, p := range l.At {
			x := x(float64(p.Tick)) + apart*(float64(i)-float64(len(c.Lines)-1)/2)
			fmt.Fprintf(&b, `<g><title>%s</title>`, html.EscapeString(p.Said))
			if c.Bars {
				fmt.Fprintf(&b, `<path d="M%.1f %.1fV%.1f" stroke="%s" stroke-width="%.1f" stroke-opacity=".8"/>`, x, y(from), y(p.Value), Colours[l.Colour], apart*0.86)
			} else {
				fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="4" fill="%s"/>`, x, y(p.Value), Colours[l.Colour])
				if c.Under != nil && k > 0 && c.Under[p.Tick] != c.Under[l.At[k-1].Tick] {
					verb = "M"
				}
				path, verb = path+fmt.Sprintf("%s%.1f %.1f", verb, x, y(p.Value)), "L"
			}
			if p.High > p.Value {
				fmt.Fprintf(&b, `<path class="whisker" d="M%.1f %.1fV%.1fm-4 0h8m-4 0V%.1fm-4 0h8"/>`, x, y(p.Value), y(p.Low), y(p.High))
			}
			if p.Published != nil {
				fmt.Fprintf(&b, `<circle class="ring" cx="%.1f" cy="%.1f" r="5"/>`, x, y(*p.Published))
			}
			b.WriteString("</g>\n")
		}
		fmt.Fprintf(&b, `<path d="%s" fill="none" stroke="%s" stroke-width="2" stroke-dasharray="%s"/>`, path, Colours[l.Colour], dashes(i))
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %.0f" role="img" aria-label="%s">`+"\n%s</svg>\n", width, below+8, html.EscapeString(c.Title), b.String())
}

// scale is where the scale begins and ends, and how far apart its numbers are.
func (c *Chart) scale() (from, to, every float64) {
	low, top := math.Inf(1), 0.0
	for _, l := range c.Lines {
		for _, p := range l.At {
			low, top = min(low, p.Low), max(top, p.High)
			if p.Published != nil {
				top = max(top, *p.Published)
			}
		}
	}
	if c.Share {
		top = min(top, 1)
	}
	every = stat.Step((top - from) / 5)
	if !c.Bars && low > top/2 && low < top { // nothing to see else
		every = stat.Step((top - low) / 4)
		from = every * math.Floor(low/every)
	}
	return from, from + every*max(1, math.Ceil((top-from)/every-1e-9)), every
}

// dashes tell a line from others also where there is no colour. The first has none.
func dashes(i int) string { return fmt.Sprintf("%d %d", 12-2*min(i, 5), 3*min(i, 1)) }

// rows are the words of each tick, in as many rows as they take. Where there is no room for all ticks, each of so many
// is shown.
func (c *Chart) rows(step float64) (rows [][]string, each int) {
	longest := 1
	for _, word := range strings.Fields(strings.Join(c.Ticks, " ")) {
		longest = max(longest, len(word))
	}
	each = int(math.Ceil(letter * float64(longest) / step))
	most := int(float64(each)*step/letter) - 2 // apart from each other
	for _, tick := range c.Ticks {
		var of []string
		for _, word := range strings.Fields(tick) {
			if n := len(of); n > 0 && len(of[n-1])+1+len(word) <= most {
				of[n-1] += " " + word
			} else {
				of = append(of, word)
			}
		}
		rows = append(rows, of)
	}
	return rows, each
}
