// Package sim is the simulator: a cluster and its workload in virtual time, as a drive.World. It
// has one goroutine, the caller's, reads no clock, and gives the same events for the same
// configuration and the same plans, on any number of cores.
//
// What stands where, with the source of each rule:
//
//	config.go     what a run is made of
//	queue.go      the event queue: total order by (time, class, sequence)
//	sim.go        the clock: from one instant to the next, one batch of events for each
//	nodes.go      nodes that come, drain, crash and come back; which have room for what
//	heartbeat.go  who is served when (Hadoop: a node is served when it beats; paper 003, ch. 4)
//	arrivals.go   jobs come one by one from a source, and wait for their predecessors
//	jobs.go       slow start (mapreduce.job.reduce.slowstart.completedmaps), the end of a job
//	attempt.go    an attempt's start and end, retries
//	shuffle.go    a reduce ends its shuffle Task.Shuffle after the later of its start and the last map's end
//	network.go    shuffles share bandwidth
//	read.go       what it costs a map to run away from its input
//	outputs.go    map outputs lie on their nodes and are lost with them
//	speed.go      time = work · (share / speed + 1 - share); running attempts are timed again (paper 000, section 6)
//	placement.go  HDFS's default placement of block copies; evenly spread (paper 003, section 4.4.1)
//	files.go      jobs that share input, by popularity
//	times.go      distributions of task times
//	stragglers.go attempts that are slow for reasons of their own
//	skew.go       reduces whose shares of the data differ
//	failures.go   nodes and racks that fail by chance; faulty nodes
//	blacklist.go  nodes on which too much has failed
//	speculate.go  reports of progress, and second attempts
//	power.go      sleep and waking; energy is the report's
//	draws.go      keyed randomness
//	enact.go      what a plan's items do
//	stuck.go      runs that would never end
//	audit.go      in builds with the tag invariants: all that is kept is counted again, at every instant
//
// # The model
//
// Time is counted in nanoseconds. What happens at one instant is ordered: nodes come and go and
// change speed; attempts end; the run is cut off; jobs arrive; then the Tick; then heartbeats. All
// of it is one batch. What a plan changes is told in the next batch, of the same instant. So an
// attempt that would end at the very instant of its node's crash is lost, and a job that arrives
// when a node beats is served by that beat.
//
// Where nobody heeds them (drive.Patient), starts and ends of attempts wait for the next event of
// another kind, each with its age. Instants pass one by one all the same: what happens is the same.
// A node that comes, goes or changes is never told in one batch with what was held back: that is
// told first. A policy with a part that heeds any event gets each instant by itself. So a journal of
// a run that waits has a round for each beat, not for each end.
//
// A start takes effect when it is enacted, an end when it happens: reports do not wait for a
// heartbeat, as Hadoop's do, but the room that an end leaves is offered with the node's next beat,
// which is the same for everything but the end's own time.
//
// The world keeps its own truth about room, open tasks and what may start, and looks at no policy's
// state. It trusts the ledger's binder in the choice of tasks and refuses, task by task, what its
// truth forbids: a task that is not open (Stale), no room, a node that is away, a stage that is not
// ready, a job that is not admitted. An item whose id it has seen changes nothing.
//
// Jobs with stages: a Map stage is followed by Reduce at slow start, any other stage by the next
// when all its tasks have committed. An ApplicationMaster (stage Master, before others) is up when
// it has run its Work and ends with its job; if it is lost another is started, and the tasks of its
// job run on. A job whose last stage has committed is finished; maps that run again for nothing by
// then are killed. A task that failed Config.MaxFailures times fails its job; kills and lost nodes
// do not count. Jobs behind one that failed, was killed or was rejected are killed: when they are
// in the system at once, else one batch after they arrive.
//
// # What it does not model
//
// Every mechanism is off until Config switches it on: then a remote read costs nothing, shuffles do
// not slow each other down, no attempt straggles, shares are even, nothing fails. Even so disks are
// not shared, and of the network only the shuffle is: maps that read from afar do so at their own
// rate. Shuffling starts behind the last map: what a first wave fetches meanwhile costs nothing.
// Blocks of dead nodes are not copied again. The load of a node does not slow its tasks down. There
// is no molding and no cloud to ask for nodes: Can says so. If reduces take all room of containers
// that maps could use as well, nothing kills them: that is the policy's business, and a run that
// hangs on it is reported as stuck. So is one on nodes so small that an ApplicationMaster on each
// leaves no room for a task, as the share that masters may take is of the cluster as a whole.
//
// # Cost
//
// An event costs a logarithm in the number of running attempts, whatever waits. Nodes that are full
// or idle with nothing to do cost nothing: they have no entry in the queue. Attempts, jobs and
// their arrays are recycled; nothing is allocated for a start or an end. The crash of a node, and
// its leaving, look at all tasks of the jobs in the system.
package sim
