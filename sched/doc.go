// Package sched is the contract between policies and worlds.
//
// A policy is a function from what is known (View) and what has just happened (a batch of Events) to what should be done
// (a Plan of Items, each with a Reason). It has no clock, no goroutine, no I/O and no random source of its own: equal
// inputs give equal plans, in a simulator, in the embedded engine and on a cluster alike.
//
//	world ──Next──▶ events ──▶ ledger.Apply ──▶ Policy.Decide ──▶ ledger.Check ──▶ sinks ──▶ world.Enact
//	  ▲                                                                                        │
//	  └───────────────────────── what came of it returns as events ────────────────────────────┘
//
// # The unit of decision
//
// A Start item grants so many tasks of a (job, stage) in a container kind on a node, for a locality. Which tasks they are
// is chosen by the binder (in the ledger, or in the world where Capabilities.Bind says so): node-local first, then rack,
// then any.
//
// # Handles
//
// Jobs, nodes and attempts are named by dense int32 handles from 1; 0 is none. Worlds choose them and may use a handle
// again in a later batch than the one that ended it. Tasks are numbered from 1 within their stage.
//
// # Booking while writing
//
// A plan that the kernel hands to Decide is bound to the book: an item that is added is checked and booked at once, so the
// next question to the View already counts it. Add returns false for an item that the book refuses; it stays in the plan
// with its refusal, so that the journal shows it, and comes back as a Refused event.
//
// # Life of an item
//
// proposed → granted → running → ended. A start for a node that did not just beat is held until it does; an item with At is
// held until then, and checked again; an item whose Expires has passed is dropped with a refusal. Items of one Group are
// granted all or not at all. Re-sending an item that a world has already seen changes nothing.
//
// # What is remembered
//
// Nothing here grows with the jobs that ever were. The book knows jobs, and queues, as long as jobs are there. Of classes it knows the
// profiles of the last profile.MostClasses that it was told of: a class may be a job's own, and beyond that the one goes that was told
// longest ago. A queue that its last job has left is gone with the next batch, its handle is used again, and when a job names it once more
// it comes as a new one, behind the others.
//
// # Questions and copies
//
// A policy that is an Asker says, between two plans, what it would decide upon a job that came at an instant, now or before the next
// batch: whether it would be let in, why, and, as far as the policy can tell, when it would end and the earliest deadline that would be
// accepted. That decides nothing: the book, and what the policy saves, stay as they are, and if the job then comes at that instant
// before anything else happens, that is what becomes of it.
//
// A policy that is a Cloner can be copied together with its book, to play on beside it. Both share what never changes, and nothing else.
//
// # Predecessors
//
// A job that names predecessors (workload.Job.After) waits in the book until the world says StageReady of one of its stages, when they
// have committed; also, in the batch that brings it, if they have by then. Of a job without any the book says it by itself. Who has
// ended, and how, only the world remembers, for as long as it takes jobs that name them: the book knows no job that has ended.
//
// # Counts
//
// A stage whose description says that it Grows has more tasks than are known: an ApplicationMaster asks for its reduces little by
// little and says nothing of how many there will be. Only worlds that bind late have such stages. Demand, a JobAmended and what runs
// raise Tally.Total, until a JobAmended says that the number is final. Demand is what the world asks for now, no more and no less:
// it may dip to none while work remains, and may exceed the tasks that are left, as who has lost an attempt asks again, and who
// asks before he has heard of the last grant asks for too much. A policy that needs the number says what it does without.
//
// # Facts and their age
//
// What an event says holds from the time of its batch on, unless it has an Age: then it has held for so long already. A Resync
// voids the book, and the rest of its batch tells the world's full state: nodes that are up (NodeUp, with their power state and the
// time since which nothing has ended on them), jobs that have not ended (JobArrived, with their arrival and, in their stages' Done,
// the tasks that are done; where the world binds late only their number counts), which of them were cancelled, stages that are ready,
// demand, and attempts that run (Started, with their start). So jobs stand by when they arrived, and slots end and tasks straggle by
// when they started, as before.
//
// Void is all that a policy had asked for: verdicts and samples, Withhold, SetSlots, SetTasks, CapHeadroom, virtual deadlines, drains,
// wake-ups, items that were held or not answered. Jobs are Pending again, or wait. A policy that asked for it asks again in the plan
// that answers the Resync; a job that has Begun runs on, whatever stands before it. Profiles, supplies, forecasts and the numbers of
// items stay. Handles may be others: what a policy remembers of a job it finds by the job's own ID (View.Find).
//
// # What the book remembers
//
// The View shows what was last told of each kind of supply, and the last forecast of it. A job that its user has cancelled is marked
// so, and nothing of it starts any more. What a policy has asked the world for stands on the record as well: the headroom of an
// ApplicationMaster, the number of tasks of a stage with the world's answer (Mold), and the power state of a node, which goes back to
// what it was when the world refuses.
//
// # Yield and take over
//
// After Control with Yield the world's stock scheduler places work, until Control with TakeOver. In between the book refuses starts, second
// attempts and kills as Yielded, View.First and FirstLocal know of nothing that could start, and what the stock scheduler starts is
// expected. What was promised before is still answered. All else goes on: jobs are judged, and verdicts stand, also with the stock scheduler. A
// world that has yielded says so again in its Resync.
//
// # Watching
//
// A scheduler that watches decides as always, and nothing of it is done: what a cluster would gain is seen before it is handed over. A
// world lets it watch by Control with Watch in the batch of a Resync, and ends that by the next Resync; neither verb means anything else
// in between. The policy books as it plans, so its parts see their own plan, First and FirstLocal included. When it has decided, the book
// takes back whatever would act (starts, second attempts, kills, what is done to nodes, CapHeadroom, SetTasks), marks it
// as refused, Watched, and says so again by Refused in the next batch, as of what has become stale; it is never held. The stock scheduler
// starts and ends what it likes, and is expected to.
//
// What is decided upon a job is advice. A verdict stands in Job.Advice beside the job's state, which is that of the stock scheduler: so
// a job that would be refused may run. Job.Standing joins the two; a policy plans for a job that it would admit and not for others, and
// Queue.Runs counts these. Sample, Withhold, SetSlots and SetDeadline bind the policy's own planning alone. All of it goes into
// the plan marked as Watched, is kept, and comes back by no event; advice that stands already, for the same reason, is left out. Rank,
// WakeMe and what waits for its time of these go on as always. The Resync that ends the watching voids all advice with the rest.
//
// # Simultaneity
//
// A batch has one time and a round number. Events of an instant are ordered by time, class (the order of EventKind) and
// sequence. A batch of pure confirmations (Granted, Started, Progress) updates the book and does not wake Decide. One with refusals
// besides, and nothing else, wakes it once at each instant, so that a policy which asks again for what was just refused cannot keep
// time from passing.
package sched
