package profile

// Fitter fits the models of classes that learn all the time: each again once an eighth of its jobs
// is new, so that what a task costs the fitter does not grow with what is known. The zero Fitter has
// fitted nothing.
type Fitter struct {
	news   map[string]int // jobs since the class was fitted, where there are any
	fitted Set            // classes with their models, from which others borrow
	peers  Peers
	fits   int
}

// Lend lets others borrow from a class that was fitted before.
func (f *Fitter) Lend(c *Class) { f.lend(c.Bare(), c) }

// lend lets others borrow from a class, whose samples another one has.
func (f *Fitter) lend(bare, sampled *Class) {
	bare.Rests = restsOf(sampled)
	f.fitted.Put(bare)
}

// Learned fits the models of a class that a job has taught, if it is time. known is what was known of it
// before, nil if nothing was; it counts as older.
func (f *Fitter) Learned(known, c *Class) {
	jobs := 0
	for i := range c.Samples {
		jobs = max(jobs, len(c.Samples[i].Jobs))
	}
	if f.news == nil {
		f.news = make(map[string]int)
	}
	if f.news[c.Name]++; f.news[c.Name]*8 >= jobs {
		f.Fit(known, c)
	}
}

// Settle fits the models of a class if it has learned anything since they were fitted.
func (f *Fitter) Settle(known, c *Class) {
	if f.news[c.Name] > 0 {
		f.Fit(known, c)
	}
}

// Fit fits the models of a class.
func (f *Fitter) Fit(known, c *Class) {
	delete(f.news, c.Name)
	if f.fits%max(1, min(len(f.fitted.classes), mostPeers)) == 0 {
		f.peers = *PeersOf(f.fitted.Told())
	}
	f.fits++
	all := c
	if known != nil {
		all = New(c.Name)
		all.Merge(known)
		all.Merge(c)
		all.Models, all.Cold = nil, nil
	}
	f.peers.Fit(all)
	c.Models = all.Models
	f.lend(c.Bare(), all)
}
