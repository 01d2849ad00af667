package mapreduce

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// TaskGroup is the group of the counters that the engine keeps itself.
const TaskGroup = "TaskCounter"

// The names of the engine's counters, as in Hadoop.
const (
	MapInputRecords      = "MAP_INPUT_RECORDS"
	MapInputBytes        = "MAP_INPUT_BYTES"
	MapOutputRecords     = "MAP_OUTPUT_RECORDS"
	MapOutputBytes       = "MAP_OUTPUT_BYTES" // of keys and values, before combining
	CombineInputRecords  = "COMBINE_INPUT_RECORDS"
	CombineOutputRecords = "COMBINE_OUTPUT_RECORDS"
	SpilledRecords       = "SPILLED_RECORDS" // written to local disk in between, each time counted
	ReduceShuffleBytes   = "REDUCE_SHUFFLE_BYTES"
	ReduceInputGroups    = "REDUCE_INPUT_GROUPS"
	ReduceInputRecords   = "REDUCE_INPUT_RECORDS"
	ReduceOutputRecords  = "REDUCE_OUTPUT_RECORDS"
	SkippedRecords       = "SKIPPED_RECORDS" // that attempts before failed at: of maps records, of reduces groups
	BytesWritten         = "BYTES_WRITTEN"   // to the output directory
)

// CounterName names a counter.
type CounterName struct{ Group, Name string }

// Counter is a named sum.
type Counter struct{ n int64 }

// Add adds n.
func (c *Counter) Add(n int64) { c.n += n }

// Value returns the sum.
func (c *Counter) Value() int64 { return c.n }

// Counters are the counters of an attempt or, added up over the committed attempts, of a job. They
// are not safe for use by several goroutines.
type Counters struct {
	byName map[CounterName]*Counter
}

// NewCounters returns an empty set.
func NewCounters() *Counters { return &Counters{byName: make(map[CounterName]*Counter)} }

// Counter returns the counter, made at 0 if it is new.
func (c *Counters) Counter(group, name string) *Counter {
	key := CounterName{group, name}
	if found := c.byName[key]; found != nil {
		return found
	}
	made := new(Counter)
	c.byName[key] = made
	return made
}

// Get returns the value of a counter, 0 if there is none.
func (c *Counters) Get(group, name string) int64 {
	if found := c.byName[CounterName{group, name}]; found != nil {
		return found.n
	}
	return 0
}

// Merge adds the values of o.
func (c *Counters) Merge(o *Counters) {
	for name, counter := range o.byName {
		c.Counter(name.Group, name.Name).Add(counter.n)
	}
}

// Names returns the names in order of group and name.
func (c *Counters) Names() []CounterName {
	return slices.SortedFunc(maps.Keys(c.byName), func(a, b CounterName) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Name, b.Name))
	})
}

// String prints one counter a line, in order.
func (c *Counters) String() string {
	var b strings.Builder
	for _, name := range c.Names() {
		fmt.Fprintf(&b, "%s.%s=%d\n", name.Group, name.Name, c.byName[name].n)
	}
	return b.String()
}
