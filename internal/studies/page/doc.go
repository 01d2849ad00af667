// Package page draws runs: one HTML file that needs nothing but a browser.
//
//	page.go     the page: which runs get how much of its room, and the file that comes of them
//	collect.go  the sink behind a run of it
//	track.go    which attempt runs in which slot
//	gantt.go    bars of slots, merged while they come so that they never exceed their number
//	cells.go    what bars merge into when there are more slots than can be drawn: rows of nodes, racks, or the whole cluster
//	mix.go      which job a merged bar is mostly about
//	series.go   use and queues over time, in a bounded number of points
//	marks.go    what was unusual on nodes: outages, slow times, attempts that came to nothing
//	stories.go  where the time of jobs went, and when they were said to be done
//	curve.go    distributions
//	encode.go   numbers as text: columns of small differences
//	jobs.go     the jobs of the page, and which of them stay when there are too many
//	data.go     the data block of the page, as js/read.js reads it
//	js          the page's own program: read, draw, move, list
//
// page.html, page.css and js are written for this page alone. The page asks no host for anything
// and says so to the browser (Content-Security-Policy), so it can be sent by mail and opened years
// later.
//
// # How much is kept
//
// Memory is bounded whatever a run does: the bars of all runs together are at most 100,000, points
// of a series 2,000. Bars of one slot are drawn one by one while they fit; then neighbours in time
// merge into one with the share of busy time and the job that took most of it; where even that
// would leave too few for each slot, slots merge into nodes, nodes into racks. No busy time is lost
// or made by it.
package page
