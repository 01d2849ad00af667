// Package yarn is the world of a real Hadoop cluster. A plug-in in YARN's ResourceManager attaches over a
// stream (package wire), tells what happens there, and does what plans ask for. This package makes events of
// the one and messages of the other; it decides nothing.
//
// YARN binds late: it knows applications, priorities and counts, and no tasks. An application is a job, its
// ApplicationMaster the stage master, and what a MapReduce job asks for at the priorities 5, 19 and 20 (maps)
// and 10 (reduces) are its other two stages. Where nobody knows how many tasks they have (counts.go) they grow.
// What other kinds of applications ask for is one stage, which grows.
//
//   - attach.go: sessions, and who may have one; serve.go: the address at which they attach
//   - world.go: the loop's side of the stream
//   - batch.go: events in the order in which the book can take them in
//   - snapshot.go, events.go: what the plug-in says
//   - apps.go, tags.go, claims.go, asks.go, nodes.go: jobs, deadlines, demand and nodes
//   - counts.go: how many tasks there are
//   - items.go: what plans ask for
//
// # Clock
//
// The cluster's clock is the only one. All times are those that the plug-in states, less the origin; wake-ups
// ride in its beats. So it does not matter what the clock of this machine shows.
//
// # Who places work
//
// The plug-in knows its mode, and tells it (wire.Mode). A session begins as the plug-in says. World.Ask asks
// for another mode. When a session ends the stock scheduler places work, until the next one has begun with a
// snapshot and the plug-in has taken over again.
//
// # What does not fit
//
// An event about something that the world does not know is dropped and noted (Config.Note): after a node was
// lost, or an application killed, YARN tells ends of containers that nobody knows any more. A gap in the
// numbers of events is answered by a request for a new snapshot, and what comes before that is dropped.
//
// # The plug-in
//
// It is a subclass of YARN's CapacityScheduler (yarn/plugin). It dials, so the ResourceManager opens no port, and
// only an active one dials. It sends a snapshot and then numbered events; after a gap, or if more happens than it
// can keep, another snapshot. It enforces the mode: stock scheduling rests as its threads are told of a full
// backlog, and what they have in flight is dropped at the one point that all containers pass (tryCommit). A broken
// stream, or silence, sets the mode to stock; three beats, freed reservations and a snapshot come before ours.
//
// What YARN calls only notes what happened; a thread of the plug-in's own dials, sends and carries out plans, by
// turns, so news do not wait for the end of a long plan. Heartbeats do wait: most decisions follow from one, and
// one that waits behind others was made too early. So the beats of some nodes are told at a time, and the next
// once what was decided on those is done. Slackline is silent if it does not answer, not while that thread is busy.
//
// # Asks and verdicts
//
// Asks are whole: rows as the scheduler has them, with the last item that they account for. An ApplicationMaster
// that asked in the very call by which it was given containers did not know of them; as many less are told and
// served until its next call. A tag that makes no sense is refused here, without asking the policy. An exit of 0
// counts as a task done; that more maps are asked for at the priority of failed ones takes that back, unless a
// container was seen to end badly.
//
// # The next process
//
// Item numbers begin again with each process, so the plug-in forgets those that it has seen when a stream begins.
// What the next process needs to know is kept by runs.Cluster.
//
// # Tests
//
// In three tiers: package adverse behind the stream passes the conformance suite (yarnfake); a real
// ResourceManager with a peer in Java, in one JVM; the same with a Slackline in Go at the other end (TestPlugin).
package yarn
