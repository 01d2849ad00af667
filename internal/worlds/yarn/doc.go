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
package yarn
