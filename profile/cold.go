package profile

// A cold run is one whose input had to be fetched from storage, or the first of its class on a
// machine, when nothing that it needs lies ready. Its times are no guess of those of the next run,
// so they are kept apart, in Cold: people are told what warm runs taught, as long as there was one.
// Worst cases count both.

// AsCold is what a cold run has taught.
func (c *Class) AsCold() *Class { return &Class{Name: c.Name, Cold: c} }

// Told is what people are told of the class: what warm runs taught, and before the first of them
// what cold ones did.
func (c *Class) Told() *Class {
	if c.Runs == 0 && c.Cold != nil {
		return c.Cold
	}
	return c
}

// Whole is what all runs taught, cold or not. Where there are cold ones its models are to be fitted.
func (c *Class) Whole() *Class {
	if c.Cold == nil {
		return c
	}
	all := New(c.Name)
	all.Merge(c)
	all.Cold, all.Models, all.Samples, all.Scores = nil, nil, nil, nil
	all.Merge(c.Cold)
	all.mergeSamples(c) // which count as later than cold ones
	all.Models = nil
	return all
}
