package page

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/studies/page/pagetest"
	"github.com/slackline/slackline/internal/studies/report"
)

// save writes a page to a file for the browser.
func save(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// painted counts the colours of a canvas that stand at more than some of its points.
const painted = `(id => {
	const c = document.getElementById(id) || document.querySelector(id);
	const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
	const seen = new Map();
	for (let i = 0; i < d.length; i += 4) { const k = d[i] << 16 | d[i + 1] << 8 | d[i + 2]; if (d[i + 3] > 0) seen.set(k, (seen.get(k) || 0) + 1); }
	return [...seen.values()].filter(n => n > 20).length;
})`

// TestBrowserDraws opens the page of a run in a Chromium that is off line: it is drawn, it asks for
// nothing but itself, complains of nothing, runs nothing that a job's name says, and has decoded
// the numbers that were written.
func TestBrowserDraws(t *testing.T) {
	b := pagetest.New(t)
	text, _, r := play(t, "fifo", "edf-p")
	data := blockOf(t, text)
	b.Look(1280, 900, "light")
	b.Open(save(t, text))
	var first struct{ FirstDraw, FirstPaint, Ready string }
	b.Eval(`({...document.documentElement.dataset})`, &first)
	if first.FirstDraw == "" || first.FirstPaint == "" {
		t.Errorf("the page does not say when it was drawn: %+v", first)
	}
	t.Logf("drawn %s ms after the start, on the screen at %s ms, all of it at %s ms", first.FirstDraw, first.FirstPaint, first.Ready)
	for _, canvas := range []string{"gantt", "#over canvas", "#curves canvas", "#scatter canvas"} {
		var n int
		if b.Eval(fmt.Sprintf("%s(%q)", painted, canvas), &n); n < 3 {
			t.Errorf("the canvas %s has %d colours", canvas, n)
		}
	}
	// Bars are there in their colours, and cover about as much of the drawing as slots were in use.
	var covered float64
	b.Eval(`(() => {
		const c = document.getElementById('gantt'), g = c.getContext('2d'), left = 130, bottom = c.height - 28;
		const d = g.getImageData(left, 0, c.width - left, bottom).data;
		const want = new Set(slackline.load(0).colours.map(h => parseInt(h.slice(1), 16)));
		let n = 0;
		for (let i = 0; i < d.length; i += 4) if (want.has(d[i] << 16 | d[i + 1] << 8 | d[i + 2])) n++;
		return n / (d.length / 4);
	})()`, &covered)
	if s := r.Runs[0].Summary; covered < 0.8*min(s.MapUtilization, s.ReduceUtilization) || covered > 1.1*max(s.MapUtilization, s.ReduceUtilization) {
		t.Errorf("bars cover %v of the drawing; in use were %v of the map slots and %v of the reduce slots", covered, s.MapUtilization, s.ReduceUtilization)
	}
	if n := pagetest.Colours(b.Picture("small")); n < 50 {
		t.Errorf("the picture has %d colours", n)
	}
	// What the page decoded against what the other decoder makes of it.
	for i := range data.Runs {
		var got struct {
			Bars, Busy, Jobs, Tasks, Met float64
			Finished                     float64
		}
		b.Eval(fmt.Sprintf(`(() => { const r = slackline.load(%d), g = r.gantt, sum = l => l.reduce((a, b) => a + b, 0);
			return { bars: g.begin.length, busy: sum(g.busy), jobs: sum(g.job), tasks: sum(g.task), finished: sum(r.finished), met: r.finished.filter((f, k) => f <= r.deadline[k]).length }; })()`, i), &got)
		want := got
		list := data.bars(t, i)
		want.Bars, want.Busy, want.Jobs, want.Tasks = float64(len(list)), 0, 0, 0
		for _, d := range list {
			want.Busy += float64(d.busy)
			want.Jobs += float64(d.job)
			want.Tasks += float64(d.task)
		}
		want.Met = float64(r.Runs[i].Summary.InTime)
		want.Finished = 0
		for _, j := range r.Runs[i].Jobs {
			want.Finished += float64(int64(ticksOf(*j.Finished)) / data.Unit)
		}
		if got != want {
			t.Errorf("run %d: the page has %+v, want %+v", i, got, want)
		}
	}
	var hostileIsText bool
	b.Eval(fmt.Sprintf(`document.querySelectorAll('img').length === 0 && [...document.querySelectorAll('#jobs button')].some(b => b.textContent === %q)`, hostile), &hostileIsText)
	if !hostileIsText {
		t.Error("the job's name is not a text of the table")
	}
	b.Quiet()
	// Even if somebody's text came to be markup, the browser would neither run it nor ask anybody.
	for directive, try := range map[string]string{
		"connect-src":     `fetch('file:///etc/hosts').catch(() => 0)`,
		"img-src":         `document.body.append(Object.assign(new Image(), { src: 'http://127.0.0.1:1/' }))`,
		"script-src-elem": `document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.bad = 1' }))`,
		"script-src-attr": `document.body.insertAdjacentHTML('beforeend', '<img src="data:," onerror="window.bad = 1">')`,
	} {
		var broken string
		b.Eval(fmt.Sprintf(`new Promise(done => {
			document.addEventListener('securitypolicyviolation', e => done(e.effectiveDirective), { once: true });
			%s;
			setTimeout(() => done('nothing'), 2000);
		})`, try), &broken)
		if broken != directive {
			t.Errorf("%s breaks %s, want %s", try, broken, directive)
		}
	}
	var bad bool
	if b.Eval(`'bad' in window`, &bad); bad {
		t.Error("what was put in was run")
	}
}

// TestBrowserMoves zooms by wheel, moves by drag and by keys, hovers, follows a job and chooses another run.
func TestBrowserMoves(t *testing.T) {
	b := pagetest.New(t)
	text, _, _ := play(t, "fifo", "edf-p")
	b.Look(1280, 900, "dark")
	b.Open(save(t, text))
	b.Eval(`document.getElementById('gantt').scrollIntoView({ block: 'center', behavior: 'instant' })`, nil)
	var box struct{ X, Y, Width, Height float64 }
	b.Eval(`(b => ({ x: b.x, y: b.y, width: b.width, height: b.height }))(document.getElementById('gantt').getBoundingClientRect())`, &box)
	x, y := box.X+box.Width*0.4, box.Y+6
	type view struct{ From, To, Top, Rows float64 }
	look := func() (v view) {
		b.Eval(`new Promise(done => requestAnimationFrame(() => done({...slackline.view})))`, &v)
		return v
	}
	mouse := func(kind string, x, y float64, more map[string]any) {
		m := map[string]any{"type": kind, "x": x, "y": y, "button": "none"}
		for k, v := range more {
			m[k] = v
		}
		b.Call("Input.dispatchMouseEvent", m, nil)
	}
	key := func(name, code string, modifiers int) {
		for _, kind := range []string{"keyDown", "keyUp"} {
			b.Call("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": name, "code": code, "modifiers": modifiers}, nil)
		}
	}
	whole := look()
	mouse("mouseWheel", x, y, map[string]any{"deltaX": 0, "deltaY": -400})
	near := look()
	if near.To-near.From >= whole.To-whole.From || near.From <= 0 {
		t.Errorf("the wheel does not zoom: %+v, then %+v", whole, near)
	}
	mouse("mousePressed", x, y, map[string]any{"button": "left", "clickCount": 1})
	mouse("mouseMoved", x-100, y, map[string]any{"button": "left", "buttons": 1})
	mouse("mouseReleased", x-100, y, map[string]any{"button": "left", "clickCount": 1})
	moved := look()
	if moved.From <= near.From || moved.To-moved.From != near.To-near.From && (moved.To-moved.From)/(near.To-near.From) > 1.001 {
		t.Errorf("dragging does not move: %+v, then %+v", near, moved)
	}
	b.Eval(`document.getElementById('gantt').focus()`, nil)
	key("0", "Digit0", 0)
	if got := look(); got != whole {
		t.Errorf("0 does not show the whole run: %+v, want %+v", got, whole)
	}
	key("+", "Equal", 0)
	key("ArrowRight", "ArrowRight", 0)
	if got := look(); got.From <= 0 || got.To-got.From >= whole.To {
		t.Errorf("the keys do not zoom and move: %+v", got)
	}
	key("0", "Digit0", 0)
	mouse("mouseMoved", box.X+200, y, nil)
	tip := func() (text string) {
		b.Eval(`document.getElementById('tip').hidden ? '' : document.getElementById('tip').innerText`, &text)
		return text
	}
	for _, want := range []string{"map ", hostile, "n1 map 1", " – ", "due "} {
		if got := tip(); !strings.Contains(got, want) {
			t.Errorf("what the pointer is on is told as %q, which lacks %q", got, want)
		}
	}
	b.Picture("hover")
	mouse("mouseMoved", 1, 1, nil)
	b.Eval(`document.getElementById('gantt').focus()`, nil)
	const shift = 8
	key("ArrowRight", "ArrowRight", shift)
	one := tip()
	key("ArrowRight", "ArrowRight", shift)
	if two := tip(); one == "" || two == "" || one == two {
		t.Errorf("Shift and an arrow go from %q to %q", one, two)
	}
	key("Enter", "Enter", 0)
	b.Picture("followed")
	key("Escape", "Escape", 0)
	if got := tip(); got != "" {
		t.Errorf("Escape leaves %q", got)
	}
	var about string
	b.Eval(`(s => { s.value = 1; s.dispatchEvent(new Event('change')); return document.getElementById('about').textContent })(document.getElementById('run'))`, &about)
	if !strings.Contains(about, "edf-p") {
		t.Errorf("the other run is told as %q", about)
	}
	for _, mode := range []string{"promise", "job", "class", "stage", "outcome"} {
		var n int
		b.Eval(fmt.Sprintf(`(s => { s.value = %q; s.dispatchEvent(new Event('change')); return new Promise(done => requestAnimationFrame(() => done(%s('gantt')))) })(document.getElementById('colour'))`, mode, painted), &n)
		if n < 3 {
			t.Errorf("by %s the drawing has %d colours", mode, n)
		}
	}
	b.Eval(`for (const e of document.querySelectorAll('thead button')) e.click()`, nil)
	b.Eval(`(s => { s.value = 'J3'; s.dispatchEvent(new Event('input')) })(document.getElementById('search'))`, nil)
	b.Quiet()
}

// TestBrowserDrawsMany opens a page with as many bars as there can be, and one of a run that has nothing to draw.
func TestBrowserDrawsMany(t *testing.T) {
	b := pagetest.New(t)
	for _, nodes := range []int{100, 2000} {
		p := New([]Head{{Scenario: "million", Policy: "none", Seed: 1}})
		attempts := int(aMillion())
		if testing.Short() {
			attempts = 100_000
		}
		run := million(t, p.Watch(0)[0], nodes, 6, attempts)
		b.Look(1280, 900, "light")
		b.Open(save(t, write(t, p, report.New(run))))
		var n int
		if b.Eval(painted+`("gantt")`, &n); n < 3 {
			t.Errorf("%d nodes: the canvas has %d colours", nodes, n)
		}
		var first string
		b.Eval("document.documentElement.dataset.firstDraw", &first)
		t.Logf("%d nodes: drawn after %s ms", nodes, first)
		b.Picture(fmt.Sprint("million-", nodes))
		b.Quiet()
	}
	for _, r := range []*report.Report{report.New(), report.New(&report.Run{World: "engine", Scenario: "old", Policy: "fifo", Jobs: []report.Job{}})} {
		b.Look(390, 800, "dark")
		file := save(t, write(t, New(nil), r))
		b.Open(file)
		b.Quiet()
	}
}
