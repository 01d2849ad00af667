package placement

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// EFH gives jobs the containers in which their maps use the least energy (paper 003, chapter 6):
//
//	paper                                             here
//	eq. 6.1  h = ef · dop                             shape.count
//	eq. 6.2  dop: part of the job's data on a node    dop
//	eq. 6.3  ef = 1 / energy of a map, idle off       efficiency, of the rates that classes of nodes state
//	eq. 6.4  that energy, by profiling                cluster.Rate
//	table 6.2, lines 1-16   optset and r of each job  factor
//	lines 17-20             who waits long, order     line
//	lines 21-38             who gets what             pass
//	table 6.3, labels                                 ae=off
//	table 6.4, level II                               scarcest: local tasks, those of the fewest containers first, in the
//	                                                  fittest of these; then start: others
//
// A job's own kind of container is the first that it lists. It is a GPU job if some class of nodes has no room for
// such a one. Adaptive execution (ae) is whether it may use the others as well: as printed, never (off), or
// only once it waits long (overflow; line 1277 of the text). What remains of R is a job's open maps.
//
// Deviations, each as the text leaves it open:
//
//   - The paper does not say how long T is.
//   - R is at most what the cluster has of relevant containers. As printed (cap=false) a job of more maps
//     than that never fits whole, and ends the scan of all behind it until it waits long.
//   - Where h is the same, as it is 0 on all nodes without data, ef decides; then whether the container
//     is free; then the number of the node.
//   - Who has an equal r goes by the policy's order: edf+efh.
//   - A pass is run whenever anything happens, for all nodes, and maps wait for no heartbeat: a job could not
//     be given all that it asks for else.
//   - Line 29 looks at the long-waiting queue when lines 21 to 28 are through.
//   - gpu=reserve keeps containers of a scarce kind for jobs whose own it is, as long as such a one waits.
//   - Tasks that have no local container (L = 0) go to the containers that are left, the nearest first.
//   - Where the world binds late, an ApplicationMaster says which task goes where.
//
// What each part is worth by itself is played without it, for which there is one parameter more (without): the factors
// and optset next to nothing, r puts small jobs first: see experiment 003-efh.
// Masters, reduces and further stages are served as Greedy does, but what draws on the same as the maps of its job
// starts only when these are through: it would hold what they wait for.
type EFH struct {
	c EFHConfig
	savedEFH

	turn   // all below is reused, or follows from the view
	shapes []shape
	epoch  int             // counts the times that nodes changed
	serve  []*cluster.Node // by handle, those that serve
	asked  []units.Vector  // what maps that wait ask for
	has    []bool          // by handle, those with room for that
	open   []*sched.Node   // these
	data   []stored        // by job
	queue  []waiting
	far    []group
	offers []offer
	kinds  []uint8
	first  []int32 // by node, its first offer in a list, from 1
	local  []local
}

// EFHConfig is the parameters.
type EFHConfig struct {
	T   units.Duration // a job that came so long ago waits long
	AE  string         // "printed", "overflow" or "off"
	GPU string         // "printed" or "reserve"
	Cap bool

	Without string // the part that is left out: "none", "ef", "dop", "optset", "r", "scarcest" or "locality"
}

// savedEFH is the state: the Tick that was asked for; 0 = none.
type savedEFH struct {
	Wake compose.Alarm `json:"wake"`
}

// waiting is a job that waits for containers.
type waiting struct {
	job  *sched.Job
	data *stored
	asks int64
	r    float64
	long bool
}

// Decide grants containers for maps on all nodes, and serves nodes that beat with the other stages.
func (e *EFH) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	t := &e.turn
	t.behind = true
	for i := range batch {
		switch batch[i].Kind {
		case sched.Resync:
			e.Wake = 0
		case sched.Tick:
			e.Wake.Rings(v.Now(), true, p)
		case sched.Heartbeat:
			if t.of(v, p, batch[i].Node) && v.Queue(sched.Root).Stages[sched.Master].Open > 0 {
				t.other = quota{stage: sched.Master}
				t.fill(&t.other)
			}
		}
	}
	if v.Queue(sched.Root).Stages[sched.Map].Open > 0 {
		e.pass(v, p)
	}
	for i := range batch {
		if batch[i].Kind == sched.Heartbeat && t.of(v, p, batch[i].Node) {
			t.serve(nobody{}, 1, 1)
		}
	}
}

// nobody is the line of maps at a beat.
type nobody struct{}

func (nobody) next(*turn) sched.JobID   { return 0 }
func (nobody) start(*turn, sched.JobID) {}

// pass is table 6.2.
func (e *EFH) pass(v sched.View, p *sched.Plan) {
	e.line(v)
	left := false // in the long-waiting queue
	for i := range e.queue {
		w := &e.queue[i]
		s := &e.shapes[w.data.shape]
		if !w.long && left {
			break
		}
		if s.free <= 0 { // there was none when the pass began
			if !w.long {
				break
			}
			left = true
			continue
		}
		list, free := e.best(w.data)
		if !w.long && free < w.asks {
			break
		}
		if free > 0 && v.First(list[0].node, sched.Map, 0) == 0 {
			break // another scheduler places work now
		}
		why := sched.Because(FitWhole, w.asks, int64(units.Rounded(1000*w.r)))
		if w.long {
			why = sched.Because(FitLong, int64(w.job.Arrived), w.asks)
		}
		e.start(v, p, w.job, list, w.asks, why)
		left = left || w.long && w.asks > free
	}
	e.remind(v, p)
}

// line lists the jobs that wait, those first that wait long, each by its r.
func (e *EFH) line(v sched.View) {
	e.queue = e.queue[:0]
	for j := v.Waiting(sched.Map, 0); j != 0; j = v.Waiting(sched.Map, j) {
		job := v.Job(j)
		tally := &job.Stages[sched.Map]
		asks := int64(tally.Open)
		if tally.Limit >= 0 {
			asks = min(asks, int64(tally.Limit-tally.Occupied))
		}
		if asks > 0 && job.Standing() == sched.Admitted {
			e.queue = append(e.queue, waiting{job: job, asks: asks, long: v.Now() >= job.Arrived.Add(e.c.T)})
		}
	}
	for i := range e.queue {
		e.dop(e.queue[i].job) // the list grows before anything points into it
	}
	e.survey(v)
	for i := range e.queue {
		w := &e.queue[i]
		w.data = e.fit(v, w.job, e.relevant(v, w))
		if e.c.Cap || w.long {
			w.asks = min(w.asks, e.shapes[w.data.shape].total)
		}
		switch e.c.Without {
		case "r":
		case "optset": // any that are free count
			w.r = units.Rounded(float64(min(e.shapes[w.data.shape].free, w.asks)) / float64(max(1, w.asks)))
		default:
			w.r = units.Rounded(e.factor(v, w.data, w.asks))
		}
	}
	slices.SortStableFunc(e.queue, func(a, b waiting) int {
		if a.long != b.long {
			if a.long {
				return -1
			}
			return 1
		}
		return cmp.Compare(units.Rounded(b.r), units.Rounded(a.r))
	})
}

// relevant lists the kinds of containers that the job may use now.
func (e *EFH) relevant(v sched.View, w *waiting) []uint8 {
	e.kinds = append(e.kinds[:0], 0)
	if e.c.AE == "off" && scarce(v, w.job.Spec, 0) || e.c.AE == "overflow" && !w.long && scarce(v, w.job.Spec, 0) {
		return e.kinds
	}
	st := w.job.Spec.Stage(sched.Map)
	for k := 1; k < len(st.Containers); k++ {
		if e.c.GPU == "reserve" && scarce(v, w.job.Spec, k) && e.wanted(st.Containers[k].Name) {
			continue
		}
		e.kinds = append(e.kinds, uint8(k))
	}
	return e.kinds
}

// scarce tells whether some class of nodes has no room for such a container.
func scarce(v sched.View, j *workload.Job, kind int) bool {
	c := j.Stage(sched.Map).Container(kind)
	for i := sched.ClassID(1); i <= v.Classes(); i++ {
		if !v.Class(i).Spec.Capacity.Fits(&c.Needs) {
			return true
		}
	}
	return false
}

// wanted tells whether a job waits whose own kind of container that is.
func (e *EFH) wanted(name string) bool {
	return slices.ContainsFunc(e.queue, func(w waiting) bool { return w.job.Spec.Stage(sched.Map).Container(0).Name == name })
}

// remind asks for a Tick when the next job begins to wait long.
func (e *EFH) remind(v sched.View, p *sched.Plan) {
	next := units.Never
	for i := range e.queue {
		if w := &e.queue[i]; !w.long {
			next = min(next, w.job.Arrived.Add(e.c.T))
		}
	}
	e.Wake.Set(next, p)
}

// Why a job gets containers.
var (
	// FitWhole gives a job all that it asks for.
	FitWhole = &sched.Cause{Name: "fit-whole", Text: "all of its {maps} {maps?map|maps} that wait have room, and {free} of its best containers are free",
		Numbers: []sched.Number{sched.Count.Named("maps", "maps that wait", 12), sched.PerMille.Named("free", "thousandths of its best containers that are free", 750)}}
	// FitLong gives one that waits long what there is.
	FitLong = &sched.Cause{Name: "fit-long", Text: "it has waited long, since {since}, and gets what is free for {maps} {maps?map|maps}",
		Numbers: []sched.Number{sched.Clock.Named("since", "when it came", 60e9), sched.Count.Named("maps", "maps that wait", 12)}}
)

// Remembers is what outlives a round.
func (e *EFH) Remembers() any { return &e.savedEFH }

// EFHEntry lists the part.
func EFHEntry() compose.Entry {
	return compose.Entry{
		Name:   "efh",
		Kind:   compose.KindPlace,
		Doc:    "gives jobs the containers in which their maps use the least energy near their data; all they ask for, or they wait",
		Cite:   "paper 003, chapter 6 (EFH)",
		Traits: compose.Traits{Causes: []*sched.Cause{FitWhole, FitLong, sched.FirstInOrder, sched.Wakeup}},
		Params: []compose.Param{
			{Name: "T", Type: compose.Span, Default: "10m", Doc: "a job that came so long ago waits long: it goes before the others, and takes what is free"},
			{Name: "ae", Type: compose.Choice, Choices: []string{"printed", "overflow", "off"}, Default: "printed", Doc: "whether GPU jobs use other containers that they list: always, once they wait long, or never"},
			{Name: "gpu", Type: compose.Choice, Choices: []string{"printed", "reserve"}, Default: "printed", Doc: "whether other jobs take GPU containers: as they come, or while no GPU job waits"},
			{Name: "cap", Type: compose.Switch, Default: "true", Doc: "a job asks for no more than the cluster has; as printed it waits for T"},
			{Name: "without", Type: compose.Choice, Choices: []string{"none", "ef", "dop", "optset", "r", "scarcest", "locality"}, Default: "none", Doc: "a part that is left out, to see what it is worth: a factor of fitness, the ranking or its best containers, or the choice of tasks"},
		},
		Step: func(a compose.Args) (compose.Step, error) {
			return &EFH{c: EFHConfig{T: a.Span("T"), AE: a.Choice("ae"), GPU: a.Choice("gpu"), Cap: a.Switch("cap"), Without: a.Choice("without")}}, nil
		},
	}
}
