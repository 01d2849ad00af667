package scenario

import (
	"fmt"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/units"
)

// class describes nodes that have this, and what is said of all where they say nothing.
func (o *Offer) class(name string, all *Offer) *cluster.Class {
	class := &cluster.Class{Name: name, Speed: last(1, all.Speed, o.Speed), WakeTime: last(0, all.WakeTime, o.WakeTime).Duration()}
	class.Idle = units.Watts(last(0, all.IdlePower, o.IdlePower))
	class.Dynamic = units.Watts(last(0, all.DynamicPower, o.DynamicPower))
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
	class.Most, class.Price, class.Billing, class.WakeTime = o.Most, o.Price, o.Billing.Duration(), o.Boot.Duration()
	return class
}

// mostOffered bounds the slots of a machine that may be rented: each node looks for work fifty times a second.
const mostOffered = 1000

// checkOffers refuses what slots of a machine do not have, and names that say nothing.
func (j *Job) checkOffers() {
	seen := map[string]bool{"local": true}
	for i, o := range j.Run.Offers {
		at := fmt.Sprintf("run.offers[%d]", i)
		for _, key := range []string{"vcores", "memory", "gpus", "speed", "labels", "idle_power", "dynamic_power", "sleep_power", "wake_time", "rates"} {
			if j.src.Has(at + "." + key) {
				j.src.Failf(at+"."+key, "%s is for simulated nodes; slots of this machine have map_slots, reduce_slots, most, boot, price and billing", config.Name(key))
			}
		}
		switch {
		case seen[o.Name]:
			j.src.Failf(at+".name", "there is another class %q; give each its own name", o.Name)
		case o.Most > mostOffered:
			j.src.Failf(at+".most", "most is %d, it must be at most %d", o.Most, mostOffered)
		case j.src.Has(at+".timeout") && o.Command == "":
			j.src.Failf(at+".timeout", "timeout needs command: it is how long that may take")
		}
		seen[o.Name] = true
	}
}

// Offers are the classes of slots that the job file offers.
func (j *Job) Offers() (list []*cluster.Class) {
	for i := range j.Run.Offers {
		o := &j.Run.Offers[i]
		list = append(list, o.rented(o.class(o.Name, &Offer{})))
	}
	return list
}
