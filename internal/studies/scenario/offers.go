package scenario

import (
	"fmt"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/units"
)

// class describes nodes that have this, and what is said of all where they say nothing.
func (o *Offer) class(name string, all *Offer) *cluster.Class {
	class := &cluster.Class{Name: name, Speed: last(1, all.Speed, o.Speed), WakeTime: last(0, all.WakeTime, o.WakeTime).Duration()}
	class.Idle = units.Watts(last(0, all.IdlePower, o.IdlePower))
	class.Dynamic = units.Watts(last(0, all.DynamicPower, o.DynamicPower))
	if curve := o.PowerCurve; len(curve) > 0 || o.IdlePower == nil && o.DynamicPower == nil && len(all.PowerCurve) > 0 {
		if len(curve) == 0 {
			curve = all.PowerCurve
		}
		idle, full := curve[0].Power, curve[len(curve)-1].Power
		class.Idle, class.Dynamic = units.Watts(idle), units.Watts(full-idle)
		class.Curve = each.Of(curve, func(p Point) float64 { return float64(p.Power-idle) / float64(max(full-idle, 1e-9)) })
		if loads, said := loadsOf(curve); said {
			class.Loads = loads
		}
	}
	class.Sleep = units.Watts(last(0, all.SleepPower, o.SleepPower))
	class.Capacity[units.MapSlots] = int64(last(2, all.MapSlots, o.MapSlots))
	class.Capacity[units.ReduceSlots] = int64(last(1, all.ReduceSlots, o.ReduceSlots))
	class.Capacity[units.VCores] = int64(last(0, all.VCores, o.VCores))
	class.Capacity[units.Named0] = int64(last(0, all.GPUs, o.GPUs))
	class.Capacity[units.Memory] = int64(last(0, all.Memory, o.Memory))
	return class
}

// rented says of a class on which terms a cloud rents its nodes out.
func (o *Cloud) rented(class *cluster.Class) *cluster.Class {
	class.Most, class.Billing, class.WakeTime, class.Interruptions = o.Most, o.Billing.Duration(), o.Boot.Duration(), o.Interruptions
	if len(o.Price) > 0 {
		class.Price = o.Price[0]
	}
	if len(o.Price) > 1 {
		class.Prices = o.Price
	}
	return class
}

// mostOffered bounds the slots of a machine that may be rented: each node looks for work fifty times a second.
const mostOffered = 1000

// checkOffers refuses what slots of a machine do not have, and names that say nothing.
func (j *Job) checkOffers() {
	checkOffers(j.src, "run.", j.Run.Offers, "local", "for simulated nodes; slots of this machine have map_slots, reduce_slots",
		"vcores", "memory")
}

// checkOffers refuses keys that mean nothing there, and names that say nothing.
func checkOffers(src *config.Document, below string, offers []Cloud, local, where string, not ...string) {
	seen := map[string]bool{local: true}
	for i, o := range offers {
		at := fmt.Sprintf("%soffers[%d]", below, i)
		for _, key := range append(not, "gpus", "speed", "labels", "idle_power", "dynamic_power", "power_curve", "sleep_power", "wake_time", "rates", "interruptions") {
			if src.Has(at + "." + key) {
				src.Failf(at+"."+key, "%s is %s, most, boot, price and billing", config.Name(key), where)
			}
		}
		switch {
		case seen[o.Name]:
			src.Failf(at+".name", "there is another class %q; give each its own name", o.Name)
		case len(o.Price) > 1:
			src.Failf(at+".price", "price has %d numbers, and only simulated nodes have one for each hour; write what an hour costs now", len(o.Price))
		case o.Most > mostOffered:
			src.Failf(at+".most", "most is %d, it must be at most %d", o.Most, mostOffered)
		case src.Has(at+".timeout") && o.Command == "":
			src.Failf(at+".timeout", "timeout needs command: it is how long that may take")
		}
		seen[o.Name] = true
	}
}

// Offers are the classes of slots that the job file offers.
func (j *Job) Offers() []*cluster.Class { return classes(j.Run.Offers) }

func classes(offers []Cloud) (list []*cluster.Class) {
	for i := range offers {
		o := &offers[i]
		list = append(list, o.rented(o.class(o.Name, &Offer{})))
	}
	return list
}

// Offers is what stands in a file for slackline yarn serve --offers: which nodes can be rented for a Hadoop
// cluster, and what its nodes draw.
type Offers struct {
	Offers []Cloud  `json:"offers" some:"yes" doc:"nodes that a policy may rent, and gives back"`
	Nodes  []Marked `json:"nodes" some:"yes" doc:"how fast nodes of the cluster are, and what they draw; of several that fit a node, the first counts"`

	src    *config.Document
	marked []*cluster.Class
}

// Marked is what is said of the nodes that carry an attribute.
type Marked struct {
	Attribute string `json:"attribute" doc:"of YARN, as NAME=VALUE, such as gpu=1; all nodes if left out"`
	Offer
}

// ReadOffers reads such a file. The error, if any, is a config.Errors.
func ReadOffers(file string, src []byte) (*Offers, error) {
	doc, err := config.ParseOne(file, src)
	if err != nil {
		return nil, err
	}
	f := &Offers{src: doc}
	doc.Read(f)
	checkOffers(doc, "", f.Offers, "", "not for nodes of a Hadoop cluster, which have vcores, memory", "map_slots", "reduce_slots")
	for i, o := range f.Offers {
		switch at := fmt.Sprintf("offers[%d]", i); {
		case o.Command == "":
			doc.Failf(at, "offer %q has no command: it says who starts and ends such nodes", o.Name)
		case !doc.Has(at+".memory") || !doc.Has(at+".vcores"):
			doc.Failf(at, "offer %q says not how large its nodes are; give memory and vcores as its NodeManagers have them", o.Name)
		}
	}
	for i, m := range f.Nodes {
		at := fmt.Sprintf("nodes[%d]", i)
		for _, key := range []string{"map_slots", "reduce_slots", "vcores", "memory", "gpus", "labels", "sleep_power", "wake_time"} {
			if doc.Has(at + "." + key) {
				doc.Failf(at+"."+key, "%s is what YARN says of its nodes; this file says speed, idle_power, dynamic_power, power_curve and rates", key)
			}
		}
		checkCurve(doc, at, &f.Nodes[i].Offer)
		class := m.class(m.Attribute, &Offer{})
		class.Rates = ratesOf(doc, m.Rates, at)
		f.marked = append(f.marked, class)
	}
	if len(f.Offers)+len(f.Nodes) == 0 && doc.Err() == nil {
		doc.Failf("", "it says nothing; give offers, nodes, or both")
	}
	return f, doc.Err()
}

// Marked are classes without capacity, each named after the attribute of its nodes.
func (f *Offers) Marked() []*cluster.Class { return f.marked }

// Classes are the classes of nodes that it offers.
func (f *Offers) Classes() []*cluster.Class {
	list := classes(f.Offers)
	for _, c := range list {
		c.Capacity[units.MapSlots], c.Capacity[units.ReduceSlots] = 0, 0 // how nodes are cut into slots yarn serve says
	}
	return list
}

// Errorf is an error at a key of the file.
func (f *Offers) Errorf(at, format string, args ...any) error {
	return f.src.Errorf(at, format, args...)
}
