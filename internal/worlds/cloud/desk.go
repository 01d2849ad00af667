package cloud

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/slackline/slackline/cluster"
)

// Provider is who has nodes. Its methods are called from several goroutines at once, and end when their context does.
type Provider interface {
	// Rent asks for a node of a class that costs at most so much an hour. Asked again by the same token it gives no
	// second one.
	Rent(ctx context.Context, token, class string, most float64) error
	// GiveBack gives back what was rented by the token, if anything was.
	GiveBack(ctx context.Context, token string) error
	// There lists what is rented by now.
	There(ctx context.Context) ([]Node, error)
}

// Node is a node that a provider has rented out.
type Node struct {
	Token string `json:"token"`
	Up    bool   `json:"up"`             // it serves; else it boots
	Name  string `json:"name,omitempty"` // what the cluster that it joins calls it; "" = nobody knows yet
}

// News is what a world is told of a node that it wants, or wanted.
type News uint8

const (
	Gone   News = iota // it is not there, or not any more
	Named              // it has a name
	Serves             // it serves
)

// Change is such news.
type Change struct {
	Node cluster.NodeID
	Is   News
	Name string // with Named
}

const (
	patience = time.Minute      // beyond three times its boot time a node has so long to come
	quiet    = 5 * time.Second  // what serves is looked at so often
	farewell = 20 * time.Second // until what is not gone at the end is told

	mostRefusals = 3 // in a row, until a node counts as not to be had
	mostCalls    = 8 // at once
	lacks        = 2 // lists in a row without a node, until it counts as gone
)

// Desk rents for a world. No method but Close waits.
type Desk struct {
	provider Provider
	run      string // that tokens begin with; those of this desk go on with its number
	number   string
	tell     func(Change)
	warn     func(text string)

	lock  sync.Mutex
	list  []*tenancy
	count int // of tenancies so far
	said  map[string]bool
	bell  chan struct{}
	stop  context.CancelFunc
	over  chan struct{} // closed when its goroutine has ended
	asked bool          // what there is, at least once
	out   []func()      // what is to be told, without the lock
	ends  bool
}

// tenancy is a node from when it is wanted until it is gone.
type tenancy struct {
	node     cluster.NodeID // 0 = the world has heard the last of it
	token    string
	class    *cluster.Class
	most     float64   // that an hour of it may cost
	until    time.Time // by when it has to serve
	refusals int       // in a row
	lacks    int       // lists in a row without it
	listed   bool      // some list had it
	named    bool      // and its name
	doubt    bool      // a call that rents it failed, and may still be obeyed
	up, back bool      // it serves; it is to be given back
}

// Open opens a desk at a provider. Tokens begin with run, which tells its nodes from those of other runs; tell and
// warn are called from any goroutine. Close must be called.
func Open(p Provider, run string, tell func(Change), warn func(text string)) *Desk {
	ctx, stop := context.WithCancel(context.Background())
	d := &Desk{provider: p, run: run, number: strconv.FormatInt(time.Now().UnixMilli(), 36), tell: tell, warn: warn, said: map[string]bool{},
		bell: make(chan struct{}, 1), stop: stop, over: make(chan struct{})}
	go d.serve(ctx)
	return d
}

// Rent wants a node from now on, which was planned with at such a price of an hour: where it costs more by now, that is
// for who planned to weigh again.
func (d *Desk) Rent(n cluster.NodeID, class *cluster.Class, price float64) {
	d.lock.Lock()
	defer d.lock.Unlock()
	d.count++
	d.list = append(d.list, &tenancy{node: n, class: class, most: price, token: fmt.Sprintf("%s-%s-%d", d.run, d.number, d.count),
		until: time.Now().Add(boots(class))})
	d.ring()
}

// boots is how long a node has to come.
func boots(class *cluster.Class) time.Duration {
	return 3*time.Duration(class.WakeTime) + patience
}

// GiveBack does not want a node any more.
func (d *Desk) GiveBack(n cluster.NodeID) {
	d.lock.Lock()
	defer d.lock.Unlock()
	for _, t := range d.list {
		if t.node == n && !t.back {
			t.back, t.lacks, t.refusals = true, 0, 0
		}
	}
	d.ring()
}

// ring wakes the goroutine.
func (d *Desk) ring() {
	select {
	case d.bell <- struct{}{}:
	default:
	}
}

// Close gives everything back and waits until it is gone, for a while at most: what is left then is told.
func (d *Desk) Close() {
	d.lock.Lock()
	d.ends = true
	for _, t := range d.list {
		t.back = true
	}
	d.lock.Unlock()
	d.ring()
	for end := time.Now().Add(farewell); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if len(d.left()) == 0 {
			break
		}
	}
	d.stop()
	<-d.over
	if left := d.left(); len(left) > 0 {
		d.warn(fmt.Sprintf("not known to be given back, look for them: %s", strings.Join(left, ", ")))
	}
}

// left are the tokens of what may be there.
func (d *Desk) left() (tokens []string) {
	d.lock.Lock()
	defer d.lock.Unlock()
	for _, t := range d.list {
		tokens = append(tokens, t.token)
	}
	return tokens
}

// serve goes round until the desk closes.
func (d *Desk) serve(ctx context.Context) {
	defer close(d.over)
	for ctx.Err() == nil {
		wait := d.round(ctx)
		alarm := time.NewTimer(wait)
		select {
		case <-d.bell:
		case <-alarm.C:
		case <-ctx.Done():
		}
		alarm.Stop()
	}
}

// round asks for what lacks, gives back what is too much, and looks at what there is. It returns when to do so again.
func (d *Desk) round(ctx context.Context) (next time.Duration) {
	d.lock.Lock()
	var asked []*tenancy
	for _, t := range d.list {
		if t.back || !t.listed {
			asked = append(asked, t)
		}
	}
	some := len(d.list) > 0 || !d.asked
	d.asked = true
	backs := make([]bool, len(asked))
	for i, t := range asked {
		backs[i] = t.back
	}
	d.lock.Unlock()
	if !some {
		return 1<<63 - 1
	}
	errs := make([]error, len(asked))
	d.all(len(asked), func(i int) {
		if t := asked[i]; backs[i] {
			errs[i] = d.provider.GiveBack(ctx, t.token)
		} else {
			errs[i] = d.provider.Rent(ctx, t.token, t.class.Name, t.most)
		}
	})
	there, err := d.provider.There(ctx)
	if ctx.Err() != nil {
		return 0
	}
	d.lock.Lock()
	defer func() {
		out := d.out
		d.out = nil
		d.lock.Unlock()
		for _, say := range out {
			say()
		}
	}()
	for i, t := range asked {
		if errs[i] == nil {
			t.refusals = 0
			continue
		}
		t.refusals++
		t.doubt = t.doubt || !backs[i]
		verb := map[bool]string{true: "give back", false: "rent"}[backs[i]]
		d.once(fmt.Sprintf("%s a node of class %s: %v", verb, t.class.Name, errs[i]))
	}
	if err != nil {
		d.once(fmt.Sprintf("list nodes: %v", err))
	} else {
		d.compare(there)
	}
	return d.settle()
}

// all does so many calls, a few at a time.
func (d *Desk) all(n int, do func(i int)) {
	var group sync.WaitGroup
	slots := make(chan struct{}, mostCalls)
	for i := range n {
		slots <- struct{}{}
		group.Go(func() {
			do(i)
			<-slots
		})
	}
	group.Wait()
}

// once warns of something that was not told yet.
func (d *Desk) once(text string) {
	if !d.said[text] {
		d.said[text] = true
		d.out = append(d.out, func() { d.warn(text) })
	}
}

// compare holds what is wanted against a list.
func (d *Desk) compare(there []Node) {
	seen, serve := map[string]int{}, map[string]bool{}
	for _, n := range there {
		serve[n.Token] = serve[n.Token] || n.Up
		seen[n.Token]++
		if seen[n.Token] == 2 {
			d.once(fmt.Sprintf("two nodes have the token %s; they count as one", n.Token))
		}
		i := slices.IndexFunc(d.list, func(t *tenancy) bool { return t.token == n.Token })
		switch {
		case i >= 0:
			t := d.list[i]
			t.listed = true
			if n.Name != "" && !t.named && !t.back {
				t.named = true
				d.say(Change{Node: t.node, Is: Named, Name: n.Name})
			}
			if n.Up && !t.up && !t.back {
				t.up = true
				d.say(Change{Node: t.node, Is: Serves})
			}
		case strings.HasPrefix(n.Token, d.run+"-"): // nobody wants it
			d.list = append(d.list, &tenancy{token: n.Token, class: &cluster.Class{Name: "unknown"}, back: true})
		}
	}
	for _, t := range d.list {
		if t.lacks++; serve[t.token] || seen[t.token] > 0 && (t.back || !t.up) { // who served must still do
			t.lacks = 0
		}
	}
}

// settle lets go of what is gone, and gives up what does not come. It returns when to look again.
func (d *Desk) settle() time.Duration {
	next, now := quiet, time.Now()
	d.list = slices.DeleteFunc(d.list, func(t *tenancy) bool {
		switch lost := t.lacks >= lacks; {
		case t.back && lost && (t.listed && !t.doubt || d.ends || now.After(t.until)):
			d.gone(t)
			return true
		case t.back:
		case lost && t.listed, !t.up && (now.After(t.until) || t.refusals >= mostRefusals):
			if !lost && t.refusals < mostRefusals {
				d.once(fmt.Sprintf("a node of class %s did not serve within %v of being rented; it is given back", t.class.Name, boots(t.class)))
			}
			t.back, t.lacks = true, 0
			d.gone(t)
		}
		wait := min(max(time.Duration(t.class.WakeTime)/20, 20*time.Millisecond), quiet)
		if t.back {
			wait = min(wait, quiet/10)
		}
		if t.back || !t.up || t.lacks > 0 {
			next = min(next, wait<<min(t.refusals, 4))
		}
		return false
	})
	return next
}

// gone tells the world that it has not got the node, once.
func (d *Desk) gone(t *tenancy) {
	if t.node != 0 {
		d.say(Change{Node: t.node})
		t.node = 0
	}
}

func (d *Desk) say(c Change) { d.out = append(d.out, func() { d.tell(c) }) }
