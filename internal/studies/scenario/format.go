package scenario

import (
	"time"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/internal/studies/trace"
	"github.com/slackline/slackline/internal/studies/weather"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Scenario is a scenario file: a cluster, what arrives, and by which policies and seeds it is played.
type Scenario struct {
	Name     string                      `json:"name" label:"yes" doc:"name of the scenario, for reports; the file's name if left out"`
	Cluster  Cluster                     `json:"cluster" need:"yes" doc:"the machines"`
	Workload Workload                    `json:"workload" need:"yes" doc:"what arrives"`
	Policies config.Texts                `json:"policies" some:"yes" doc:"policies to play it by, such as fifo or capacity(elastic=false)"`
	Ranges   config.OneOrMore[SeedRange] `json:"seeds" some:"yes" doc:"seeds of everything random: a list, or a range such as 1..30; 1 if left out"`
	Sweep    config.Sweep                `json:"sweep" doc:"values to play it with in turn, by key: {cluster.nodes: [10, 20], cluster.heartbeat: [1s, 3s]} is four scenarios"`
	Start    config.Instant              `json:"start" doc:"the instant that time 0 stands for, such as 2030-01-31T18:00:00+01:00, for the journal and for deadlines that are times of day; none if left out"`
	Until    config.Span                 `json:"until" above:"0" doc:"time at which the run is cut off; no limit if left out"`
	Profiles string                      `json:"profiles" doc:"what is known of classes of jobs from the start: rehearsed = what a run by fifo with the same seed would teach, or a file from slackline profile export; nothing if left out, but what the run itself teaches"`

	queues.Config // queues, max_running, max_running_per_user, max_running_per_queue

	Seeds []uint64 `json:"-"`

	// Params are the values of the sweep with which this one is played, as they are written.
	Params map[string]string `json:"-"`

	// Source is what it was read from; nil: not from a file of its own.
	Source *Source `json:"-"`

	src     *config.Document
	most    int // tasks
	config  sim.Config
	resized bool
	// played is the trace of the workload, if that is one.
	played trace.File
	// arrivals begins a workload that comes from a trace.
	arrivals func(seed uint64) workload.Source
	// skies writes down the weather of a seed; nil = there is none.
	skies  func(seed uint64, cfg *sim.Config)
	record *weather.Series // in place of what would be made up; nil = none
	kinds  []string        // names of containers of jobs, each as often as it stands there
	notes  []string        // what was filled in, moved or left out of files beside it
}

// Cluster describes the machines and how they change.
type Cluster struct {
	Nodes   int     `json:"nodes" min:"0" max:"1000000" doc:"number of nodes, those of classes not counted"`
	Racks   int     `json:"racks" min:"1" max:"1000000" def:"1" doc:"number of racks, at most that of nodes; nodes stand in them in turn"`
	Offer           // of the nodes that are in no class, and of classes that do not say otherwise
	Classes []Class `json:"classes" doc:"further nodes of other kinds"`
	Offers  []Cloud `json:"offers" doc:"nodes that a cloud offers: a policy may rent them, and gives them back"`

	Launch    config.Span `json:"launch" min:"0" doc:"from when a container is given until its task begins; a cluster's histories say how long (slackline yarn whatif); none if left out"`
	Heartbeat config.Span `json:"heartbeat" min:"0" def:"3s" doc:"interval of a node's heartbeats; 0s = nodes are served at once"`
	Replicas  *int        `json:"replicas" min:"0" doc:"copies of each block of input; 3 if left out, or as many as there are nodes; 0 = input is everywhere"`
	Placement string      `json:"placement" enum:"spread|scatter|cover" def:"spread" doc:"how first copies lie: evenly on the nodes, each drawn by itself, or drawn from the nodes of the class that draws the least when idle, so that the others can sleep"`
	Block     config.Size `json:"block" above:"0" def:"64MB" doc:"size of a block, the input of a map"`

	SpeedSteps []SpeedStep `json:"speed_steps" doc:"speed over time (scale-up)"`
	Supply     []Supply    `json:"supply" doc:"green power, its price and capacity over time, of which policies are told"`
	SupplyFile string      `json:"supply_file" doc:"CSV file with further steps of the supply, beside the scenario: a column at (10m, seconds, or with a start a time with a zone), and any of green (W, or with its unit), price, capacity; an empty field changes nothing"`
	Forecasts  []Forecast  `json:"forecasts" doc:"forecasts of the supply, of which policies are told; a later one replaces an earlier one"`
	NodeSteps  []NodeStep  `json:"node_steps" doc:"number of nodes over time (scale-out)"`
	Slots      Slots       `json:"slots" doc:"what the cluster offers over time, from a trace, with forecasts of it; instead of speed_steps or node_steps"`
	Outages    []Outage    `json:"outages" doc:"failures of nodes, one by one"`
	MTBF       config.Span `json:"mtbf" above:"0" doc:"mean time between failures of each node, exponential; none by chance if left out"`
	MTTR       config.Span `json:"mttr" min:"0" doc:"mean time to repair, exponential"`
	RackMTBF   config.Span `json:"rack_mtbf" above:"0" doc:"mean time between failures of each rack, exponential; none by chance if left out"`
	RackMTTR   config.Span `json:"rack_mttr" min:"0" doc:"mean time to repair a rack, exponential"`

	TaskTimes   Times      `json:"task_times" doc:"how task times vary around what jobs say"`
	Read        ReadRates  `json:"read" doc:"what it costs a map to run away from its input"`
	Network     Network    `json:"network" doc:"bandwidth that shuffles share"`
	Stragglers  Stragglers `json:"stragglers" doc:"attempts that are slow for reasons of their own"`
	Skew        float64    `json:"skew" min:"0" max:"10" doc:"Zipf exponent of the shares of a job's reduces; even if left out"`
	Files       Files      `json:"files" doc:"jobs that read the same input"`
	FailureRate float64    `json:"failure_rate" min:"0" max:"0.999" doc:"probability that an attempt fails by itself"`
	Faulty      Faulty     `json:"faulty" doc:"nodes on which more fails"`
	Blacklist   Blacklist  `json:"blacklist" doc:"nodes on which too much has failed get no more work"`
	MaxFailures int        `json:"max_failures" min:"1" max:"255" def:"4" doc:"a task that failed so often fails its job"`

	Progress config.Span `json:"progress" above:"0" doc:"interval at which attempts report how far they are; policies can then speculate; never if left out"`
	Masters  *Master     `json:"masters" doc:"an ApplicationMaster for each job, in a container of its own; none if left out"`
}

// Offer is what a node has for tasks.
type Offer struct {
	MapSlots    *int         `json:"map_slots" min:"0" max:"100000" doc:"map slots of a node; 2 if left out"`
	ReduceSlots *int         `json:"reduce_slots" min:"0" max:"100000" doc:"reduce slots of a node; 1 if left out"`
	VCores      *int         `json:"vcores" min:"0" max:"100000" doc:"virtual cores of a node, for jobs that ask for such"`
	Memory      *config.Size `json:"memory" min:"0" doc:"memory of a node, for jobs that ask for such"`
	GPUs        *int         `json:"gpus" min:"0" max:"100000" doc:"GPUs of a node, for jobs that ask for such"`
	Speed       *float64     `json:"speed" above:"0" doc:"speed of the CPU relative to the machine that task times are for; 1 if left out"`
	Labels      config.Texts `json:"labels" label:"yes" doc:"labels that the nodes carry"`

	IdlePower    *config.Power `json:"idle_power" min:"0" doc:"what a node draws when it is awake and does nothing; energy is reported if any power is stated"`
	DynamicPower *config.Power `json:"dynamic_power" min:"0" doc:"what it draws in addition at full load, and in proportion below that"`
	PowerCurve   []Point       `json:"power_curve" doc:"what it draws in all at equal steps of load, or at those that are said (90W at 30%), from idle to full, and straight between them, in place of idle_power and dynamic_power: two numbers and more, such as the eleven of SPECpower; it must not fall"`
	SleepPower   *config.Power `json:"sleep_power" min:"0" doc:"what it draws asleep"`
	WakeTime     *config.Span  `json:"wake_time" min:"0" doc:"how long it takes from sleep to service"`

	Rates []Rate `json:"rates" doc:"what tasks take and draw in kinds of containers, where that does not follow from the node as a whole"`
}

// Rate is what a task takes and draws in a kind of container.
type Rate struct {
	Container string        `json:"container" need:"yes" label:"yes" doc:"the kind of container, as jobs name it in map_needs or reduce_needs; without such it is map-slot or reduce-slot"`
	Jobs      string        `json:"jobs" label:"yes" doc:"class of jobs that it holds for; all of which nothing else is said if left out"`
	Speed     *float64      `json:"speed" above:"0" doc:"speed of such a task, in place of that of the node"`
	Power     *config.Power `json:"power" above:"0" doc:"what it draws above idle while it runs; its part of dynamic_power if left out"`
}

// Class is a kind of node.
type Class struct {
	Name  string `json:"name" need:"yes" label:"yes" doc:"name of the kind of node"`
	Nodes int    `json:"nodes" need:"yes" min:"1" max:"1000000" doc:"how many there are, besides those of the cluster and of other classes"`
	Offer
}

// Cloud is a kind of node that can be rented.
type Cloud struct {
	Name          string                    `json:"name" need:"yes" label:"yes" doc:"name of the kind of node"`
	Most          int                       `json:"most" need:"yes" min:"1" max:"1000000" doc:"how many can be had at a time"`
	Price         config.OneOrMore[float64] `json:"price" some:"yes" min:"0" max:"1e9" doc:"what one costs an hour, or one number for each hour of the run, of which the last goes on; nothing if left out"`
	Interruptions float64                   `json:"interruptions" min:"0" max:"3600" doc:"how often one that is up is taken away per hour, on average, as spot machines are; never if left out. It can be rented again at once, or after mttr"`
	Billing       config.Span               `json:"billing" min:"0" doc:"step in which time is charged, begun ones in full; to the instant if left out"`
	Boot          config.Span               `json:"boot" min:"0" doc:"how long it takes from being rented to service"`
	Command       string                    `json:"command" some:"yes" doc:"who rents them out: a command that reads and prints JSON (docs/policies.md); left out, slots of this machine. Simulations do without"`
	Timeout       config.Span               `json:"timeout" above:"0" def:"1m" doc:"how long the command may take to answer"`
	Offer
}

// Times is a distribution around the time that a job states.
type Times struct {
	Law     string    `json:"law" enum:"constant|uniform|normal|exponential|lognormal|pareto|empirical" def:"constant" doc:"family of distributions, each with the stated time as its mean"`
	CV      float64   `json:"cv" min:"0" max:"100" doc:"standard deviation over mean; always 1 for exponential times"`
	Values  []float64 `json:"values" above:"0" doc:"empirical: times that were measured, in any unit; their mean stands for the stated time"`
	Profile string    `json:"profile" doc:"empirical: a class of jobs whose map times in earlier runs on this machine are such values"`
}

// ReadRates is what a map away from its input pays.
type ReadRates struct {
	Rack   config.Size `json:"rack" above:"0" doc:"bytes a second from another node of the rack; no cost if left out"`
	Remote config.Size `json:"remote" above:"0" doc:"bytes a second from another rack; no cost if left out"`
}

// Network is what shuffles share.
type Network struct {
	Fabric config.Size `json:"fabric" above:"0" doc:"bytes a second through the whole cluster; shuffles do not slow each other down if left out"`
	Link   config.Size `json:"link" above:"0" doc:"bytes a second into one reduce, at which shuffle times hold"`
}

// Stragglers are slow attempts.
type Stragglers struct {
	Rate   float64 `json:"rate" min:"0" max:"1" doc:"probability that an attempt is one"`
	Factor float64 `json:"factor" above:"0" def:"3" doc:"how many times as long it takes"`
}

// Files are inputs that jobs share.
type Files struct {
	Count  int     `json:"count" above:"0" max:"10000000" doc:"number of files; each job has one of its own if left out"`
	Zipf   float64 `json:"zipf" min:"0" max:"10" def:"1" doc:"exponent of their popularity: 0 = all equally likely"`
	Blocks int     `json:"blocks" above:"0" max:"10000000" doc:"blocks of a file, of which each map reads one at random; if left out, maps read a file's blocks in order"`
}

// SpeedStep sets a speed from a time on.
type SpeedStep struct {
	At     config.Span `json:"at" need:"yes" min:"0" doc:"from when on"`
	Factor float64     `json:"factor" need:"yes" above:"0" doc:"multiplies the speed of the node's class; acts on the CPU share of tasks"`
	Node   string      `json:"node" label:"yes" doc:"the node, such as n3; all of them if left out"`
}

// Supply sets how much there is from a time on; what is left out stays as it was.
type Supply struct {
	At       config.Span   `json:"at" need:"yes" min:"0" doc:"from when on"`
	Green    *config.Power `json:"green" min:"0" doc:"green power, such as 40kW; what is drawn beyond it is brown"`
	Price    *float64      `json:"price" doc:"price of a kWh that is not green; negative where who takes power is paid for it"`
	Carbon   *float64      `json:"carbon" min:"0" doc:"grams of carbon dioxide of a kWh that is not green"`
	Capacity *float64      `json:"capacity" min:"0" max:"1" doc:"what is offered of the cluster, as part of the whole: nodes come and go by node_steps"`
}

// Forecast is what is expected of a supply.
type Forecast struct {
	Of    string      `json:"of" need:"yes" enum:"green|price|carbon|capacity" doc:"of which supply"`
	Mid   []float64   `json:"mid" doc:"what is expected, one value after the other; this or file"`
	Every config.Span `json:"every" above:"0" def:"1h" doc:"with mid: how long each holds"`
	File  string      `json:"file" doc:"CSV file beside the scenario: columns at (10m, seconds, or with a start a time with a zone) and mid, and low and high for a band; rows equally far apart, each of which holds until the next"`
	At    config.Span `json:"at" min:"0" doc:"when it is issued; at the start if left out"`
}

// NodeStep sets the number of nodes from a time on.
type NodeStep struct {
	At    config.Span `json:"at" need:"yes" min:"0" doc:"from when on"`
	Nodes int         `json:"nodes" need:"yes" min:"0" doc:"how many nodes there are from then on; the last ones leave first"`
	Crash bool        `json:"crash" doc:"true: leaving nodes drop what they run; else they finish it first"`
}

// Outage is a failure of a node.
type Outage struct {
	Node string      `json:"node" label:"yes" doc:"the node, such as n3"`
	Rack int         `json:"rack" min:"1" max:"1000000" doc:"or the rack, from 1, with all its nodes"`
	Down config.Span `json:"down" need:"yes" min:"0" doc:"when it fails"`
	Up   config.Span `json:"up" min:"0" doc:"when it is back; never if left out"`
}

// Master is the ApplicationMaster of a job.
type Master struct {
	Start  config.Span `json:"start" min:"0" def:"5s" doc:"from the start of its container until the job's tasks may start"`
	VCores int         `json:"vcores" min:"0" max:"100000" doc:"virtual cores that it takes of its node; with no memory either it takes a map slot"`
	Memory config.Size `json:"memory" min:"0" doc:"memory that it takes of its node"`
}

// Faulty are nodes on which more fails.
type Faulty struct {
	Share float64 `json:"share" min:"0" max:"0.999" doc:"part of the nodes that are faulty, drawn for each"`
	Rate  float64 `json:"rate" min:"0" max:"0.999" def:"0.5" doc:"probability that an attempt fails there"`
}

// Blacklist keeps work away from nodes.
type Blacklist struct {
	Failures int         `json:"failures" above:"0" max:"1000000" doc:"failed attempts after which a node is listed; no list if left out"`
	Restore  config.Span `json:"restore" above:"0" doc:"how long after that an administrator takes it off the list; never if left out"`
}

// Workload is what arrives.
type Workload struct {
	Jobs    []SimJob `json:"jobs" doc:"the jobs, one by one"`
	Streams []Stream `json:"streams" doc:"jobs of a kind that come again and again, or users who submit them"`
	Mix     *Mix     `json:"mix" doc:"jobs of several sizes, so many of each, in an order that the seed draws"`
	Trace   *Trace   `json:"trace" doc:"jobs from the record of another cluster, instead of jobs"`
}

// Stream is jobs of a kind that come again and again: an open stream of arrivals, or users who each
// submit the next one when the last has ended and they have thought. Its jobs are called ID-1,
// ID-2, …
type Stream struct {
	SimJob

	Arrivals *Arrivals    `json:"arrivals" doc:"an open stream: when they come, whether or not earlier ones have ended"`
	Users    int          `json:"users" min:"0" max:"1000000" doc:"a closed population of so many users"`
	Think    config.Spans `json:"think" doc:"with users: how long one thinks between the end of a job and the next, exponential with this mean, or uniform on a range; the first job comes after the first thought"`
	Count    int          `json:"count" above:"0" max:"10000000" doc:"how many jobs in all"`
	For      config.Span  `json:"for" above:"0" doc:"how long after arrive jobs may still come"`
}

// Arrivals is a process of arrivals.
type Arrivals struct {
	Process string      `json:"process" enum:"constant|poisson|bursty|trace" def:"poisson" doc:"evenly spaced, Poisson, Poisson in bursts and calm between them, or as in a trace"`
	Every   config.Span `json:"every" min:"0" doc:"mean time between two; of a trace it is its own"`
	Format  string      `json:"format" doc:"trace: how the record is written"`
	File    string      `json:"file" doc:"trace: the record; a relative path counts from the folder of the scenario"`
	Bursts  float64     `json:"bursts" above:"0" max:"0.999" def:"0.1" doc:"bursty: part of the time that is within bursts"`
	Ratio   float64     `json:"ratio" min:"1" max:"1000000" def:"10" doc:"bursty: rate within a burst over that outside"`
	Burst   config.Span `json:"burst" def:"5m" doc:"bursty: mean length of a burst"`
}

// Trace is a workload that was recorded elsewhere. What the record does not say follows from the rules here.
type Trace struct {
	Format  string `json:"format" need:"yes" doc:"how the record is written: swim, slackline, jhist or alibaba"`
	File    string `json:"file" need:"yes" doc:"the record; a relative path counts from the folder of the scenario"`
	Lenient bool   `json:"lenient" doc:"true: records that cannot be read are skipped and counted"`

	Containers bool `json:"containers" doc:"true: tasks take the vcores and memory that the record states, where it does; else each takes a slot"`

	First  config.Span `json:"first" above:"0" doc:"only what was submitted within this time from its start; all of it if left out"`
	Repeat int         `json:"repeat" min:"1" max:"1000" def:"1" doc:"how often the trace is played, one after the other"`
	Every  config.Span `json:"every" min:"0" def:"24h" doc:"with repeat: from the start of the trace to its start again"`

	Rule        int          `json:"rule" min:"1" max:"3" def:"3" doc:"version of the rule for what the record does not say: 1 gives each job one reduce at least, 2 none to a job that shuffles nothing, 3 classes by shape as well"`
	Block       config.Size  `json:"block" above:"0" def:"128MB" doc:"input of a map: there are as many maps as blocks, at least 1"`
	MapTime     config.Spans `json:"map_time" def:"20s..40s" doc:"time of a map: a range from which each is drawn uniformly, or a span"`
	ReduceInput config.Size  `json:"reduce_input" above:"0" def:"1GB" doc:"bytes of shuffle for each reduce; there are at most as many reduces as reduce slots"`
	ShuffleRate config.Size  `json:"shuffle_rate" above:"0" def:"50MB" doc:"bytes a second that a reduce fetches"`
	ReduceRate  config.Size  `json:"reduce_rate" above:"0" def:"50MB" doc:"bytes a second that a reduce works on"`
	SlowStart   float64      `json:"slow_start" min:"0" max:"1" def:"0.05" doc:"part of the maps that must have finished before reduces start"`
	Deadlines   Deadlines    `json:"deadlines" doc:"deadlines for jobs that have none"`
}

// Deadlines is the rule for deadlines: arrival + factor × the time that the job takes alone.
type Deadlines struct {
	Share  float64 `json:"share" min:"0" max:"1" doc:"part of the jobs that get a deadline, drawn job by job; none if left out"`
	Factor Factors `json:"factor" def:"1.5..3" doc:"times the time that the job takes alone: a number, or a range from which each is drawn uniformly"`
	Slots  *int    `json:"slots" min:"1" max:"10000000" doc:"map slots that a job is assumed to have alone; those of the cluster if left out"`

	Classes []DeadlineClass `json:"classes" some:"yes" doc:"kinds of deadlines, instead of factor: each job with a deadline is drawn into one of them"`
}

// DeadlineClass is a kind of deadlines, such as tight ones.
type DeadlineClass struct {
	Name   string  `json:"name" need:"yes" label:"yes" doc:"name of the class, for reports"`
	Weight float64 `json:"weight" above:"0" max:"1000000" def:"1" doc:"its share of the jobs with a deadline against that of the other classes"`
	Factor Factors `json:"factor" need:"yes" doc:"times the time that the job takes alone: a number, or a range from which each is drawn uniformly"`
}

// SimJob is a job of a scenario.
type SimJob struct {
	ID string `json:"id" need:"yes" label:"yes" doc:"name of the job, unlike all others"`
	Rank

	Arrive   config.Span `json:"arrive" min:"0" doc:"time of arrival; the start of the run if left out"`
	Deadline Due         `json:"deadline" doc:"time of the run by which it should have finished, with a plus sign a span after its arrival (+10m; deadlines of a trace always count from there), or the next time of day (18:00) if the scenario has a start"`
	Soft     Due         `json:"soft_deadline" doc:"time from which on its result loses value; not after the deadline"`

	WorkflowDue Due `json:"workflow_deadline" doc:"with workflow: by when all jobs of it should have finished, written as deadline; one of them states it"`

	Maps        *int                    `json:"maps" min:"0" max:"10000000" doc:"number of maps; a map for each block of input if left out"`
	Reduces     int                     `json:"reduces" min:"0" max:"10000000" doc:"number of reduces; none if left out"`
	Input       *config.Size            `json:"input" min:"0" doc:"bytes that all maps read; a block each if left out"`
	MapTime     config.Span             `json:"map_time" min:"0" doc:"time of a map on a node of speed 1; needed where there are maps"`
	ShuffleTime config.Span             `json:"shuffle_time" min:"0" doc:"how long a reduce fetches its input after the last map; no time if left out"`
	ReduceTime  config.Span             `json:"reduce_time" min:"0" doc:"time of a reduce after its shuffle, on a node of speed 1; needed where there are reduces"`
	CPUShare    float64                 `json:"cpu_share" above:"0" max:"1" def:"1" doc:"part of a task's time that a faster CPU shortens"`
	Moldable    Moldable                `json:"moldable" doc:"maps: into how many the job may be cut by a policy that molds, and what that costs; as many as are stated if left out"`
	MapNeeds    config.OneOrMore[Needs] `json:"map_needs" some:"yes" doc:"what a map takes of its node, or a list of kinds of containers it can run in, best first; a map slot if left out"`
	ReduceNeeds config.OneOrMore[Needs] `json:"reduce_needs" some:"yes" doc:"what a reduce takes of its node, or a list of kinds; a reduce slot if left out"`
	SlowStart   float64                 `json:"slow_start" min:"0" max:"1" def:"0.05" doc:"part of the maps that must have finished before reduces start"`
	File        string                  `json:"file" doc:"name of its input; jobs with the same read the same blocks"`
	Hosts       [][]string              `json:"hosts" doc:"map by map the nodes that hold its input; drawn if left out"`
}

// Moldable says into how many maps a job may be cut. Cut into k, all maps together take
//
//	w(k) = w(1) · (1 + slope · (k - 1))
//
// where w(k) of the maps that the job states is their number times map_time.
type Moldable struct {
	Cuts
	Slope float64 `json:"slope" min:"0" max:"100" def:"0" doc:"what each further map adds to the work of all, as part of that of one"`
}

// Cuts are the numbers of maps that a job may be cut into.
type Cuts struct {
	Min int `json:"min" min:"1" max:"100000" def:"1" doc:"fewest maps"`
	Max int `json:"max" above:"0" max:"100000" doc:"most maps; those that the job has as it is cut if left out"`
}

// holds refuses bounds that the number of maps is not within.
func (c *Cuts) holds(d *config.Document, at string, maps int) bool {
	if c.Max == 0 {
		c.Max = maps
	}
	if maps < c.Min || maps > c.Max {
		d.Failf(at, "the job has %s, and moldable says %d to %d; give it another min or max", units.Count(maps, "map"), c.Min, c.Max)
		return false
	}
	return true
}

// Needs is what a container takes of its node.
type Needs struct {
	Name   string      `json:"name" label:"yes" doc:"name of the kind of container, by which rates of nodes go; map or reduce if left out, and of several map-1, map-2 and so on"`
	VCores int         `json:"vcores" min:"0" max:"100000" doc:"virtual cores"`
	Memory config.Size `json:"memory" min:"0" doc:"memory"`
	GPUs   int         `json:"gpus" min:"0" max:"100000" doc:"GPUs"`
}

// Rank is what both kinds of jobs say about where they stand among others.
type Rank struct {
	Class    string       `json:"class" label:"yes" doc:"kind of job; jobs of a class are alike in cost, and what runs teach is kept by class"`
	Queue    string       `json:"queue" label:"yes" doc:"queue or pool; \"default\" if left out"`
	User     string       `json:"user" label:"yes" doc:"who submits it"`
	Weight   float64      `json:"weight" above:"0" max:"1000000" def:"1" doc:"how much its lateness counts"`
	Priority int          `json:"priority" min:"-1000000" max:"1000000" doc:"higher goes first where a policy looks at it"`
	After    config.Texts `json:"after" label:"yes" doc:"jobs that must have finished before it starts; a job file need not name those whose output it reads"`
	Labels   config.Texts `json:"labels" label:"yes" doc:"it runs only on nodes that carry all of these"`
	Workflow string       `json:"workflow" label:"yes" doc:"the workflow that it is a part of: jobs that arrive together and are judged as one"`

	Confidence config.Confidence `json:"confidence" doc:"how likely its deadline is to be met if it is promised, such as 99%, or at least 90%, where less than promise says will do; as promise says if left out; other policies do not read it"`
}

// Job is a job file: a job for the engine of this machine. Its reduces start behind the last map
// unless told: here they have no network to keep busy meanwhile, and would only keep the slots from
// others.
type Job struct {
	Name   string            `json:"name" label:"the name of the job" doc:"name of the job; the file's name if left out"`
	App    string            `json:"app" doc:"the application, such as wordcount, or your own program by its path, such as ./bin; this or map"`
	Params map[string]string `json:"params" doc:"parameters of the application"`
	Commands
	Input config.Texts `json:"input" doc:"files, directories and globs to read, compressed or not; ~ and $HOME at the start of a path are the home directory; this or inputs"`
	Formats
	Output    string  `json:"output" need:"yes" doc:"directory for the result; it must not exist"`
	Reduces   int     `json:"reduces" min:"0" max:"10000" def:"1" doc:"number of reduces; 0 = what maps emit is the result"`
	SlowStart float64 `json:"slow_start" min:"0" max:"1" def:"1" doc:"part of the maps that must have finished before reduces start"`
	Rank

	Arrive   config.Span `json:"arrive" min:"0" doc:"when it is submitted, from the start of the run"`
	Deadline Moment      `json:"deadline" doc:"when it should have finished: a span after its submission, a time of day (18:00: the next one here, unless it passed less than six hours before the run), one of a certain day (tomorrow 06:00, 2030-01-31T18:00), or an absolute time with its zone"`
	By       Moment      `json:"by" doc:"another name for deadline"`
	Soft     Moment      `json:"soft_deadline" doc:"from when on its result loses value; not after the deadline"`

	WorkflowDue Moment `json:"workflow_deadline" doc:"with workflow: when all jobs of it should have finished, written as deadline; one of them states it"`

	Moldable struct {
		Cuts
		Reduces int `json:"reduces" above:"0" max:"10000" doc:"most reduces that a policy may ask for, and so files of output; as many as the job has if left out"`
	} `json:"moldable" doc:"into how many maps a policy may have its input cut; as it is cut if left out"`

	SkipBad int         `json:"skip_bad_records" min:"0" max:"1000000" doc:"how many records of a task may be skipped if the application fails on them; counted as SKIPPED_RECORDS"`
	Timeout config.Span `json:"timeout" above:"0" doc:"how long an attempt may go without progress before it has failed; 10m if left out"`
	Limits  Limits      `json:"limits" doc:"limits of an attempt's command or program, with all that it starts"`
	Run     Whole       `json:"run" doc:"in the first job of a file: what it says of the run of all its jobs, where no flag does"`

	src  *config.Document
	asOf time.Time         // when the run was meant to begin; zero: that is not stated
	fed  map[string]string // by the name of a job that writes what it reads: where that stands
}

// Whole is what a job file says of the run of all its jobs. The flags of these names win.
type Whole struct {
	About     string       `json:"about" doc:"what the run shows and how long it takes; run prints it first"`
	Policy    string       `json:"policy" some:"yes" doc:"the policy"`
	Block     string       `json:"block" some:"yes" doc:"largest input of a map, such as 64KB"`
	Overwrite bool         `json:"overwrite" doc:"true: replace the output of earlier runs"`
	GPUs      int          `json:"gpus" above:"0" max:"1000" doc:"GPU workers, which run one map of a job with a command for GPUs at a time: a real GPU, or what is declared as one; none if left out"`
	GPUSpeed  float64      `json:"gpu_speed" above:"0" def:"4" doc:"with gpus: how much faster a map is there than on a core, as far as nothing is known"`
	GPUPower  config.Power `json:"gpu_power" above:"0" def:"60W" doc:"with gpus: what such a map draws there above idle"`
	Offers    []Cloud      `json:"offers" doc:"slots beyond those of this machine that a policy may rent, and gives back; no flag does"`
}

// Commands are those of a job that is run as Hadoop Streaming runs it.
type Commands struct {
	Map             config.Kinds      `json:"map" doc:"the mapper's command, such as python3 mapper.py: lines in, key TAB value lines out; or {cpu: …, gpu: …}, two that do the same, of which a GPU worker runs the second"`
	Combine         string            `json:"combine" doc:"the combiner's command; none if left out"`
	Reduce          string            `json:"reduce" doc:"the reducer's command; if left out the combiner's, and without one the sorted lines are the result"`
	Files           config.Texts      `json:"files" doc:"side files of the commands, each linked into the working directory of an attempt; PATH or PATH#NAME"`
	KeyFields       int               `json:"key_fields" min:"1" max:"1000" def:"1" doc:"how many fields of a line of the mapper's are the key"`
	PartitionFields int               `json:"partition_fields" min:"1" max:"1000" doc:"how many fields of the key choose the reduce; all of them if left out"`
	OneCommand      bool              `json:"one_command" doc:"one mapper command for all the small files of a task, not one for each: faster, but mapreduce_map_input_file names only the first"`
	Conf            map[string]string `json:"conf" doc:"configuration by Hadoop's names, which commands see in the environment with _ for all but letters and digits"`
	Env             map[string]string `json:"env" doc:"further environment variables of the commands"`
}

// Limits bound an attempt that is processes of its own.
type Limits struct {
	Memory config.Size `json:"memory" above:"0" doc:"memory of all its processes; no limit if left out"`
	Time   config.Span `json:"time" above:"0" doc:"time from its start to its end; no limit if left out"`
	Files  int         `json:"open_files" above:"0" max:"1000000" doc:"open files of each of its processes; as many as the system grants if left out"`
}
