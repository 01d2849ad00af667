package cloud

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/slackline/slackline/units"
)

// Slots are slots of this machine, which serve as long after they were rented as nodes of their class boot.
type Slots struct {
	boots map[string]units.Duration // by class

	lock  sync.Mutex
	there []slot
}

// A slot is one that was rented, and from when on it serves.
type slot struct {
	token string
	from  time.Time
}

// NewSlots returns slots of classes that boot for so long.
func NewSlots(boots map[string]units.Duration) *Slots { return &Slots{boots: boots} }

// Rent implements Provider.
func (s *Slots) Rent(_ context.Context, token, class string, _ float64) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	if !slices.ContainsFunc(s.there, func(x slot) bool { return x.token == token }) {
		s.there = append(s.there, slot{token, time.Now().Add(time.Duration(s.boots[class]))})
	}
	return nil
}

// GiveBack implements Provider.
func (s *Slots) GiveBack(_ context.Context, token string) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.there = slices.DeleteFunc(s.there, func(x slot) bool { return x.token == token })
	return nil
}

// There implements Provider.
func (s *Slots) There(context.Context) (list []Node, err error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, x := range s.there {
		list = append(list, Node{Token: x.token, Up: !time.Now().Before(x.from)})
	}
	return list, nil
}
