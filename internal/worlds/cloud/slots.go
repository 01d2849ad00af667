package cloud

import (
	"context"
	"sync"
	"time"

	"github.com/slackline/slackline/units"
)

// Slots are slots of this machine, which serve as long after they were rented as nodes of their class boot.
type Slots struct {
	boots map[string]units.Duration // by class

	lock  sync.Mutex
	there []Node
	from  []time.Time
}

// NewSlots returns slots of classes that boot for so long.
func NewSlots(boots map[string]units.Duration) *Slots { return &Slots{boots: boots} }

func (s *Slots) find(token string) int {
	for i := range s.there {
		if s.there[i].Token == token {
			return i
		}
	}
	return -1
}

// Rent implements Provider.
func (s *Slots) Rent(_ context.Context, token, class string) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.find(token) < 0 {
		s.there = append(s.there, Node{Token: token})
		s.from = append(s.from, time.Now().Add(time.Duration(s.boots[class])))
	}
	return nil
}

// GiveBack implements Provider.
func (s *Slots) GiveBack(_ context.Context, token string) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	if i := s.find(token); i >= 0 {
		last := len(s.there) - 1
		s.there[i], s.from[i] = s.there[last], s.from[last]
		s.there, s.from = s.there[:last], s.from[:last]
	}
	return nil
}

// There implements Provider.
func (s *Slots) There(context.Context) ([]Node, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	list := make([]Node, len(s.there))
	for i, n := range s.there {
		n.Up = !time.Now().Before(s.from[i])
		list[i] = n
	}
	return list, nil
}
