// Package sched is the contract between policies and worlds.
//
// A policy is a function from what is known (View) and what has just happened (a batch of Events)
// to what should be done (a Plan of Items, each with a Reason). It has no clock, no goroutine, no
// I/O and no random source of its own: equal inputs give equal plans, in a simulator, in the
// embedded engine and on a cluster.
//
//	world ──Next──▶ events ──▶ ledger.Apply ──▶ Policy.Decide ──▶ ledger.Check ──▶ sinks ──▶ world.Enact
//	  ▲                                                                                        │
//	  └─────────────────────── the outcome comes back as events ───────────────────────────────┘
//
// # The unit of decision
//
// A Start item grants some tasks of a stage of a job, in a kind of container, on a node, up to a
// locality. The binder chooses the tasks: node-local ones first, then rack-local ones, then any. It
// is in the ledger, or in the world where Capabilities.Bind is false.
//
// # Handles
//
// Jobs, nodes and attempts are named by dense int32 handles from 1; 0 is none. Worlds choose them,
// and may use a handle again in a later batch than the one that ended it. Tasks are numbered from 1
// within their stage.
//
// # Booking while writing
//
// The plan that Decide gets is bound to the book: an item is checked and booked when it is added,
// so the next question to the View already counts it. Add returns false for an item that the book
// refuses. The item stays in the plan with its refusal, so that the journal shows it, and comes
// back as a Refused event.
//
// # Life of an item
//
// proposed → granted → running → ended. A start for a node that has not just sent a heartbeat is
// held until it does. An item with At is held until then, and checked again. Items of one Group are
// granted all or not at all. An item that a world has already seen changes nothing.
//
// A world checks a start once more by what it knows for certain, as the book may lag behind. One
// that binds tasks also refuses what Withhold and SetSlots forbid. One that binds late leaves these
// two to the book: a cluster's own scheduler knows nothing of them.
//
// # What is remembered
//
// The book does not grow with the jobs that ever were. It knows jobs and queues as long as there
// are jobs. It knows the profiles of the last profile.MostClasses classes that it was told of: a
// class may be that of a single job, so beyond that number the one told longest ago is dropped. A
// queue is dropped with the batch after its last job has left, and its handle is used again. If a
// job names it again, it is a new queue, behind the others.
//
// # Questions and copies
//
// A policy that is an Asker can be asked, between two plans, what it would decide about a job that
// arrived at an instant, now or before the next batch: whether it would be admitted, why, and, as
// far as the policy can tell, when it would end and the earliest deadline that would be accepted.
// Asking decides nothing: the book, and what the policy saves, stay as they are. If the job then
// arrives at that instant, before anything else happens, this is what happens to it.
//
// A policy that is a Cloner can be copied together with its book. Copy and original share only what
// never changes.
//
// # Predecessors
//
// A job that names predecessors (workload.Job.After) waits in the book until they have committed.
// Then the world says StageReady of one of its stages; if they have committed when the job arrives,
// it does so in the same batch. For a job without predecessors the book says it. Only the world
// remembers which jobs have ended, and how, as long as jobs that name them are accepted: the book
// knows no job that has ended.
//
// # Counts
//
// A stage whose description says that it Grows has more tasks than are known: an ApplicationMaster
// asks for its reduces a few at a time, and does not say how many there will be. Only worlds that
// bind late have such stages. Demand, a JobAmended and running attempts raise Tally.Total, until a
// JobAmended says that the number is final. That may have been a guess, and a later JobAmended
// corrects it. No amendment leaves a stage with fewer tasks than are done, or takes a kind of
// container from one that has begun. Where the book binds tasks, a stage that has begun keeps its
// description.
//
// Demand is what the world asks for now. It may fall to 0 while work remains. It may also exceed
// the tasks that are left: an ApplicationMaster that has lost an attempt asks again, and one that
// asks before it has heard of the last grant asks for too much. A policy that needs the number says
// what it does without.
//
// # Facts and their age
//
// What an event says holds from the time of its batch on. If it has an Age, it has held for that
// long already.
//
// A Resync voids the book. The rest of its batch is the full state of the world: the nodes that are
// there (NodeUp, with their state and the time since which nothing has ended on them), those that clouds offer or
// boot (NodeChanged), the jobs
// that have not ended (JobArrived, with their arrival, and the tasks that are done in their stages'
// Done; where the world binds late only their number counts), which of them were cancelled, which
// stages are ready, demand, and the attempts that run (Started, with their start,
// and Progress, if the world tells any). So jobs are ordered by when they arrived, and slots fall
// free and tasks straggle by when they started and what they have done, as before.
//
// Everything that a policy had asked for is void: verdicts and samples, Withhold, SetSlots,
// SetTasks, virtual deadlines, wake-ups, items that were held or not answered,
// and refusals that were still to be told. Jobs are Pending again, or Waiting. The policy asks
// again, in the plan that answers the Resync. A job that has Begun keeps running. Profiles,
// supplies, forecasts, the numbers of items and when each job began (Job.Started) stay. Nodes keep
// their handles, which descriptions of stages name (workload.Hosts). Those of jobs and attempts
// may change: a policy finds a job that it remembers by the job's own ID (View.Find).
//
// # What the book shows
//
// The View shows the last amount of each kind of supply, and the last forecast of it. A job that
// its user has cancelled is marked so, and none of its tasks start any more. The record also shows
// what a policy has asked the world for: the number of tasks of a stage with the world's answer (Mold),
// and the state of a node, which goes back to what it was if the world refuses.
//
// # Nodes
//
// A node stands in one state (NodeState). An offer of a cloud is a node that is not there yet. Wake rents
// it, or wakes one that sleeps; Sleep drains a node, and then gives it back, or lets it sleep. The book shows
// at once what was asked (a busy node drains, an empty one sleeps), and the world tells each change. What
// sleeps serves no data: a node that holds the last copy of a block or of a map output is Needed.
//
// Nodes whose classes have one name are counted together (Class), so that nobody has to walk over them.
//
// # Yield and take over
//
// After Control with Yield the world's stock scheduler places work, until Control with TakeOver. In
// between, the book refuses starts, second attempts and kills as Yielded, View.First and FirstLocal
// find nothing that could start, and the book expects what the stock scheduler starts. What was
// granted before is still answered. Everything else continues: jobs are judged, and verdicts hold,
// for the stock scheduler too. A world that has yielded says so again after a Resync.
//
// # Watching
//
// A scheduler that watches decides as always, but its decisions are not carried out. This shows
// what a cluster would gain before it is handed over. A world lets the scheduler watch by Control
// with Watch in the batch of a Resync, and ends that by the next Resync; Yield and TakeOver mean
// nothing in between. The policy books as it plans, so its parts see their own plan, in First and
// FirstLocal too. When it has decided, the book takes back whatever would act (starts, second
// attempts, kills, what is done to nodes, SetTasks), and refuses it as Watched.
// Refused events follow in the next batch. Such an item is never held. A policy that plans it again
// is refused again; the journal writes it, and its refusal, when it differs from what was last
// advised for the node, the attempt or the job. The stock scheduler starts and ends what it likes,
// and the book expects it.
//
// Decisions about jobs are advice. A verdict is in Job.Advice, beside the job's state, which is
// that of the stock scheduler: a job that would be refused may run. Job.Standing joins the two. A
// policy plans for the jobs that it would admit and for no others, and Queue.Runs counts these.
// Sample, Withhold, SetSlots and SetDeadline bind only the policy's own planning. All of this is in
// the plan, marked as Watched, is kept, and comes back as no event. Advice that holds already, for
// the same reason, is left out. Foretell, Rank and WakeMe work as always, held ones too. The Resync that
// ends the watching voids all advice.
//
// # Simultaneity
//
// A batch has one time and a round number. The events of an instant are ordered by time, class (the
// order of EventKind) and sequence. A batch of pure confirmations (Granted, Started, Progress)
// updates the book and does not wake Decide. Batches that have refusals besides, and nothing else,
// wake it once until something else does: a policy that asks again for what was just refused must
// not stop the clock, nor keep a world busy.
package sched
