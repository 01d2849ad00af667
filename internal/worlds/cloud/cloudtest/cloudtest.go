// Package cloudtest has the conformance suite of providers, and a provider that is as unkind as clouds are.
package cloudtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/worlds/cloud"
)

// Suite holds a provider to what a desk relies on. Nodes of class m must serve within patience, and refused tells of a
// class that nobody has, empty if any name will do. An hour of class m costs at most 1; if prices is not nil, it sets
// what it costs from now on.
func Suite(t *testing.T, p cloud.Provider, refused string, patience time.Duration, prices func(float64)) {
	t.Helper()
	ctx := context.Background()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	tokens := func() (list []string, up int) {
		t.Helper()
		there, err := p.There(ctx)
		must(err)
		for _, n := range there {
			list = append(list, n.Token)
			if n.Up {
				up++
			}
		}
		slices.Sort(list)
		return list, up
	}
	expect := func(what string, want ...string) {
		t.Helper()
		if list, _ := tokens(); !slices.Equal(list, want) {
			t.Fatalf("%s: there are %v, want %v", what, list, want)
		}
	}
	expect("at first")
	must(p.GiveBack(ctx, "r-never"))
	must(p.Rent(ctx, "r-1", "m", 1))
	must(p.Rent(ctx, "r-1", "m", 1))
	expect("rented twice by one token", "r-1")
	var group sync.WaitGroup
	for _, token := range []string{"r-2", "r-2", "r-3"} {
		group.Go(func() {
			if err := p.Rent(ctx, token, "m", 1); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	expect("rented at once", "r-1", "r-2", "r-3")
	for end := time.Now().Add(patience); ; time.Sleep(patience / 50) {
		if _, up := tokens(); up == 3 {
			break
		} else if time.Now().After(end) {
			t.Fatalf("%d of 3 serve", up)
		}
	}
	must(p.GiveBack(ctx, "r-2"))
	must(p.GiveBack(ctx, "r-2"))
	expect("given back", "r-1", "r-3")
	if refused != "" {
		if err := p.Rent(ctx, "r-4", refused, 1); err == nil {
			t.Errorf("class %s was rented", refused)
		}
		expect("refused", "r-1", "r-3")
	}
	if prices != nil {
		prices(1.5)
		if err := p.Rent(ctx, "r-5", "m", 1); err == nil {
			t.Error("it was rented for more than it may cost")
		}
		expect("too dear", "r-1", "r-3")
		must(p.Rent(ctx, "r-6", "m", 1.5))
		prices(1)
		must(p.Rent(ctx, "r-5", "m", 1))
		expect("cheap again", "r-1", "r-3", "r-5", "r-6")
		must(p.GiveBack(ctx, "r-5"))
		must(p.GiveBack(ctx, "r-6"))
	}
	must(p.GiveBack(ctx, "r-1"))
	must(p.GiveBack(ctx, "r-3"))
	expect("at the end")
}

// Cloud is a provider with moods, which come by a seed.
type Cloud struct {
	boot time.Duration

	lock  sync.Mutex
	draw  *rand.Rand
	moods Moods
	nodes []*node
	log   []string
	lists int
	name  string
	price float64
}

// Moods are how likely a call or a node goes wrong.
type Moods struct {
	Refuses   float64 // it does nothing, and says so
	Loses     float64 // it does what it is asked, and answers with an error
	Late      float64 // it does so after it has answered with an error
	Hangs     float64 // it answers when its context ends
	Partial   float64 // a list lacks a node
	Stillborn float64 // a node never boots
	Twice     float64 // two nodes boot
	Dies      float64 // one that serves is gone, by each list
}

type node struct {
	token string
	from  time.Time
	still bool
}

// New returns a cloud.
func New(seed uint64, boot time.Duration, m Moods) *Cloud {
	return &Cloud{boot: boot, moods: m, draw: rand.New(rand.NewPCG(seed, 1))}
}

var errMood = errors.New("try again later")

// Be gives it other moods; none: nothing goes wrong any more.
func (c *Cloud) Be(m Moods) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.moods = m
}

// Call gives all its nodes a name from now on, "" none.
func (c *Cloud) Call(name string) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.name = name
}

// Cost sets what an hour of a node costs from now on.
func (c *Cloud) Cost(price float64) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.price = price
}

// Stall keeps all nodes from serving, though they are there.
func (c *Cloud) Stall() {
	c.lock.Lock()
	defer c.lock.Unlock()
	for _, n := range c.nodes {
		n.still = true
	}
}

// Log has the rents, and what was given back, in their order.
func (c *Cloud) Log() []string {
	c.lock.Lock()
	defer c.lock.Unlock()
	return slices.Clone(c.log)
}

// Lists is how many lists it has answered.
func (c *Cloud) Lists() int {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.lists
}

// call does what it is asked, or not, as its mood is.
func (c *Cloud) call(ctx context.Context, do func()) error {
	c.lock.Lock()
	m, x := c.moods, c.draw.Float64()
	at := func(p float64) bool { x -= p; return x < 0 }
	locked := func() {
		c.lock.Lock()
		defer c.lock.Unlock()
		do()
	}
	switch {
	case at(m.Refuses):
		c.lock.Unlock()
		return errMood
	case at(m.Hangs):
		c.lock.Unlock()
		ctx, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		<-ctx.Done()
		return ctx.Err()
	case at(m.Late):
		time.AfterFunc(40*time.Second, locked)
		c.lock.Unlock()
		return errMood
	}
	do()
	lost := at(m.Loses)
	c.lock.Unlock()
	if lost {
		return errMood
	}
	return nil
}

// Rent implements cloud.Provider.
func (c *Cloud) Rent(ctx context.Context, token, class string, most float64) error {
	c.lock.Lock()
	price := c.price
	c.lock.Unlock()
	if price > most {
		return fmt.Errorf("an hour costs %v now, more than %v", price, most)
	}
	return c.call(ctx, func() {
		if slices.ContainsFunc(c.nodes, func(n *node) bool { return n.token == token }) {
			return
		}
		c.log = append(c.log, "rent "+token)
		c.nodes = append(c.nodes, &node{token, time.Now().Add(c.boot), c.draw.Float64() < c.moods.Stillborn})
		if c.draw.Float64() < c.moods.Twice {
			c.nodes = append(c.nodes, &node{token, time.Now().Add(2 * c.boot), false})
		}
	})
}

// GiveBack implements cloud.Provider.
func (c *Cloud) GiveBack(ctx context.Context, token string) error {
	return c.call(ctx, func() {
		before := len(c.nodes)
		if c.nodes = slices.DeleteFunc(c.nodes, func(n *node) bool { return n.token == token }); len(c.nodes) < before {
			c.log = append(c.log, "back "+token)
		}
	})
}

// There implements cloud.Provider.
func (c *Cloud) There(ctx context.Context) (list []cloud.Node, err error) {
	err = c.call(ctx, func() {
		c.lists++
		c.nodes = slices.DeleteFunc(c.nodes, func(n *node) bool { return c.draw.Float64() < c.moods.Dies })
		for _, n := range c.nodes {
			if c.draw.Float64() >= c.moods.Partial {
				list = append(list, cloud.Node{Token: n.token, Name: c.name, Up: !n.still && !time.Now().Before(n.from)})
			}
		}
	})
	return list, err
}

// Serve is how many tokens have a node that serves.
func (c *Cloud) Serve() int {
	c.lock.Lock()
	defer c.lock.Unlock()
	tokens := map[string]bool{}
	for _, n := range c.nodes {
		if !n.still && !time.Now().Before(n.from) {
			tokens[n.token] = true
		}
	}
	return len(tokens)
}

// Count is how many nodes there are.
func (c *Cloud) Count() int {
	c.lock.Lock()
	defer c.lock.Unlock()
	return len(c.nodes)
}
