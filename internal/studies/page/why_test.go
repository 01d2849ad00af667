package page

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/studies/account"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/page/pagetest"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// unkind has an outage, a node that gets slower, failures, queues, a supply of power, and jobs that are late.
const unkind = `
name: unkind
cluster: {nodes: 6, racks: 2, map_slots: 2, reduce_slots: 1, failure_rate: 0.1, mtbf: 5m, mttr: 30s, idle_power: 100W, dynamic_power: 100W,
  supply: [{at: 0s, green: 1kW}, {at: 2m, green: 300W}]}
workload:
  jobs:
    - {id: first, class: sort, queue: night, arrive: 0s, maps: 80, reduces: 4, map_time: 20s, shuffle_time: 5s, reduce_time: 30s, deadline: 10m}
    - {id: late, class: query, queue: day, arrive: 30s, maps: 10, reduces: 2, map_time: 15s, shuffle_time: 5s, reduce_time: 20s, deadline: 90s}
    - {id: free, class: query, queue: day, arrive: 60s, maps: 5, reduces: 0, map_time: 15s}
`

// pageOf plays a scenario under policies, with accounts, and returns its page.
func pageOf(t *testing.T, text string, seeds []uint64, policies ...string) string {
	t.Helper()
	points, err := scenario.ReadSweep("a.yaml", []byte(text), scenario.Resize{})
	if err != nil {
		t.Fatal(err)
	}
	var cells []lab.Cell
	for _, s := range points {
		cells = append(cells, lab.Cells(s, policies, seeds)...)
	}
	var heads []Head
	for i := range cells {
		cells[i].Books = account.New(0)
		heads = append(heads, Head{cells[i].Name(), cells[i].Policy, cells[i].Seed, cells[i].Books, func(q string) string { return map[string]string{"night": "weight 2"}[q] }})
	}
	p, r := New(heads), report.New()
	for i, c := range cells {
		c.Sinks = p.Watch(i)
		run, err := lab.Run(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		r.Runs = append(r.Runs, run)
	}
	r.Compare("")
	return write(t, p, r)
}

// However much is unusual, there are at most so many marks, and none of it is lost; what lasts until the end is told.
func TestMarks(t *testing.T) {
	m := &marks{}
	down := func(node sched.NodeID) *follow.Record {
		return &follow.Record{Event: &sched.Event{Kind: sched.NodeDown, Node: node, State: sched.Down}}
	}
	for i := range 10 * mostMarks {
		m.ended(units.Time(i)*units.Time(units.Second), sched.NodeID(1+i%7), []sched.Outcome{sched.Committed, sched.Failed, sched.Killed, sched.Preempted, sched.Lost}[i%5])
		if len(m.list) > mostMarks {
			t.Fatalf("%d marks", len(m.list))
		}
	}
	m.node(5, down(3))
	steps := func(m *marks) {
		for _, step := range []struct {
			at    units.Time
			speed float64
		}{{9, 0.5}, {12, 0.25}, {15, 1}, {16, 0.5}} {
			m.node(step.at, &follow.Record{Event: &sched.Event{Kind: sched.NodeChanged, Node: 4, X: step.speed}})
		}
		m.close(20)
	}
	steps(m)
	n, lasting := [markKinds]int{}, map[mark]bool{}
	for _, x := range m.list {
		if n[x.kind] += x.n; x.kind == isDown || x.kind == isSlow {
			lasting[x] = true
		}
	}
	// There are too many marks to tell each step of a speed: of what is merged the slowest is told.
	if each := 2 * mostMarks; n != [markKinds]int{1, 25, each, each, each, each} || !lasting[mark{3, isDown, 5, 20, 1}] || !lasting[mark{4, isSlow, 9, 20, 25}] {
		t.Errorf("%v %v", n, lasting)
	}
	few := &marks{}
	steps(few)
	if want := []mark{{4, isSlow, 9, 12, 50}, {4, isSlow, 12, 15, 25}, {4, isSlow, 16, 20, 50}}; !slices.Equal(few.list, want) {
		t.Errorf("%v, want %v", few.list, want)
	}
}

// A click on a job says where its time went; the address brings back what was looked at.
func TestBrowserSaysWhy(t *testing.T) {
	b := pagetest.New(t)
	file := save(t, pageOf(t, unkind, []uint64{1}, "fifo", "edf-p"))
	b.Look(1280, 900, "light")
	b.Open(file)
	tell := func(selector string) (text string) {
		b.Eval(fmt.Sprintf(`[...document.querySelectorAll(%q)].filter(e => e.checkVisibility()).map(e => e.textContent).join(' | ')`, selector), &text)
		return text
	}
	if got := tell("#account"); got != "" {
		t.Errorf("before any click: %s", got)
	}
	b.Eval(`[...document.querySelectorAll('#jobs tbody button')].find(b => b.textContent === 'late').click()`, nil)
	if got := tell("#account"); !strings.Contains(got, "Why late was late") || !strings.Contains(got, "deadline 1:30 min: late by") || !strings.Contains(got, "waited for slots") {
		t.Errorf("of a late job: %s", got)
	}
	// The address follows once the page has been drawn, which may take a while.
	comesTo := func(parts string) {
		var address string
		b.Eval(fmt.Sprintf(`new Promise(done => {
			const until = Date.now() + 30000;
			(function look() {
				if (%q.split(' ').every(part => location.hash.includes(part)) || Date.now() > until) done(location.hash);
				else setTimeout(look, 20);
			})();
		})`, parts), &address)
		for _, part := range strings.Fields(parts) {
			if !strings.Contains(address, part) {
				t.Errorf("the address %s lacks %s", address, part)
			}
		}
	}
	b.Eval(`(s => { s.value = 'queue'; s.dispatchEvent(new Event('change')) })(document.getElementById('by'))`, nil)
	comesTo("run=1 job=late by=queue")
	figures := tell("#over figcaption")
	for _, part := range []string{"Attempts running by classqueueuser", "night (weight 2)", "Green power", "What was unusual", "down ", "attempt failed "} {
		if !strings.Contains(strings.ReplaceAll(figures, "queue | ", "queue"), strings.TrimSuffix(part, "user")) {
			t.Errorf("over time: %s lacks %s", figures, part)
		}
	}
	b.Picture("unkind")
	b.Call("Page.navigate", map[string]any{"url": "about:blank"}, nil)
	b.Open(file + "#run=2&job=late&by=queue&colour=class&from=10&to=50")
	var now []string
	b.Eval(`['run', 'by', 'colour'].map(id => document.getElementById(id).value)`, &now)
	var view struct{ From, To float64 }
	if b.Eval(`(second => ({ from: Math.round(slackline.view.from / second), to: Math.round(slackline.view.to / second) }))(1e9 / JSON.parse(document.getElementById('data').textContent).unit)`, &view); view.From != 10 || view.To != 50 {
		t.Errorf("from its address the page shows the time %+v", view)
	}
	b.Eval(`document.getElementById('closer').click()`, nil)
	comesTo("from=20&to=40&")
	if got := strings.Join(now, " ") + tell("#account h3") + tell("#about"); !strings.HasPrefix(got, "1 queue classWhy late was ") || !strings.Contains(got, "edf-p") {
		t.Errorf("from its address the page shows %s", got)
	}
	b.Eval(`document.getElementById('gantt').focus()`, nil)
	for _, kind := range []string{"keyDown", "keyUp"} {
		b.Call("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": "Escape", "code": "Escape"}, nil)
	}
	if got := tell("#account"); got != "" {
		t.Errorf("after Escape: %s", got)
	}
	b.Quiet()
}

// A comparison opens with the policies, then the seeds, then one run; on a telephone a run's jobs come before its
// drawing.
func TestBrowserOpensWithTheComparison(t *testing.T) {
	b := pagetest.New(t)
	swept := strings.Replace(unkind, "workload:", "sweep: {cluster.nodes: [4, 6, 8]}\nworkload:", 1)
	file := save(t, pageOf(t, swept, []uint64{1, 2}, "fifo", "edf-p"))
	order := func() (text string) {
		b.Eval(`['compare', 'seeds', 'one', 'tiles', 'slots', 'promises'].map(id => document.getElementById(id)).sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top).map(e => e.id).join(' ')`, &text)
		return text
	}
	for _, look := range []struct {
		width  int
		scheme string
		want   string
	}{{1280, "light", "compare seeds one tiles slots promises"}, {1280, "dark", "compare seeds one tiles slots promises"},
		{390, "light", "compare seeds one tiles promises slots"}, {390, "dark", "compare seeds one tiles promises slots"}} {
		b.Look(look.width, 900, look.scheme)
		b.Open(file)
		if got := order(); got != look.want {
			t.Errorf("at %d: %s", look.width, got)
		}
		var got struct {
			Circles, Seeds, Wide int
			Faults               []string
		}
		b.Eval(`({ circles: document.querySelectorAll('#figure circle').length, seeds: document.querySelectorAll('#bySeed button').length, wide: document.documentElement.scrollWidth })`, &got)
		if got.Circles != 6 || got.Seeds != 12 || got.Wide > look.width {
			t.Errorf("at %d: %+v", look.width, got)
		}
		if b.Eval(accessible, &got.Faults); len(got.Faults) > 0 {
			t.Errorf("at %d, %s: %s", look.width, look.scheme, strings.Join(got.Faults, "\n"))
		}
	}
	b.Quiet()
}

// The widest table of promises does not make a page wider than a telephone.
func TestBrowserShowsPromisesNarrow(t *testing.T) {
	b := pagetest.New(t)
	stated, end := 0.9, 9.0
	run := &report.Run{World: "sim", Policy: "promise(level=90%)"}
	for range 200 {
		run.Jobs = append(run.Jobs, report.Job{ID: "j", Class: "a class with a long name", Outcome: report.Kept, Deadline: &end, Confidence: &stated, Promised: &end, Finished: &end})
	}
	b.Look(390, 900, "light")
	b.Open(save(t, write(t, New([]Head{{Scenario: "s"}}), report.New(run))))
	var got struct{ Wide, Rows, Bars int }
	b.Eval(`({ wide: document.documentElement.scrollWidth, rows: document.querySelectorAll('#kept tr').length, bars: slackline.load(0).stated.by.length })`, &got)
	if got.Wide > 390 || got.Rows < 2 || got.Bars != 200 {
		t.Errorf("%+v", got)
	}
	b.Quiet()
}

// accessible lists what a reader with a screen reader, without a mouse or with weak eyes would miss: names of
// controls and pictures, landmarks, the order of headings, unique ids, what the keys reach, and contrast of texts
// (WCAG 2.1, AA).
const accessible = `(() => {
	const faults = [], seen = e => e.checkVisibility({ visibilityProperty: true });
	const all = s => [...document.querySelectorAll(s)].filter(seen);
	const name = e => (e.getAttribute('aria-label') || (e.getAttribute('aria-labelledby') || '').split(' ').map(id => (document.getElementById(id) || {}).textContent || '').join(' ') || [...(e.labels || [])].map(l => l.textContent).join(' ') || (/SELECT|INPUT/.test(e.tagName) ? '' : e.textContent) || e.title || '').trim();
	for (const e of all('button, select, input, a, summary, canvas, svg, section, [role=region]')) if (!name(e)) faults.push('no name: ' + e.outerHTML.slice(0, 80));
	for (const s of ['main', 'header', 'footer', 'h1', 'html[lang]', 'head > title']) if (document.querySelectorAll(s).length !== 1) faults.push('not one ' + s);
	let level = 1;
	for (const h of all('h1, h2, h3, h4')) { const n = Number(h.tagName[1]); if (n > level + 1) faults.push('heading skips: ' + h.textContent); level = n; }
	const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
	for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) faults.push('twice: #' + id);
	for (const e of document.querySelectorAll('[aria-labelledby], [aria-describedby]')) for (const id of (e.getAttribute('aria-labelledby') || e.getAttribute('aria-describedby')).split(' ')) if (!document.getElementById(id) && seen(e)) faults.push('points nowhere: ' + id);
	for (const e of document.querySelectorAll('[tabindex]')) if (e.tabIndex > 0) faults.push('order of focus: ' + e.id);
	for (const e of all('th')) if (!e.scope || !e.textContent.trim()) faults.push('th without scope or text: ' + e.textContent);
	for (const e of all('div')) if (/auto|scroll/.test(getComputedStyle(e).overflowX) && e.scrollWidth > e.clientWidth && e.tabIndex < 0) faults.push('keys do not move it: ' + e.outerHTML.slice(0, 80));
	const rgb = c => (c.match(/[\d.]+/g) || []).map(Number);
	const light = c => { const [r, g, b] = rgb(c).map(x => (x /= 255) <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor, v = rgb(c); if (v.length === 3 || v[3] > 0) return c; } return 'rgb(255, 255, 255)'; };
	const told = new Set();
	for (const e of all('p, th, td, dt, dd, small, span, label, button, summary, h1, h2, h3, caption, select, output, svg text')) {
		if (![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()) || e.disabled) continue;
		const style = getComputedStyle(e), ink = e.namespaceURI.endsWith('svg') ? style.fill : style.color;
		const a = light(ink), b = light(ground(e)), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (ratio < 4.5 && !told.has(ink)) { told.add(ink); faults.push('contrast ' + ratio.toFixed(2) + ': ' + e.tagName + ' ' + e.textContent.slice(0, 40)); }
	}
	return faults;
})()`
