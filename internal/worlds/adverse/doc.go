// Package adverse is a world for tests that is as unkind as a real cluster may be, so that policies and
// book meet all of it long before they meet YARN. It is the twin of YARN's ResourceManager, and held
// against what real ones were recorded to say: an automaton of what may be said reads both
// (language_test.go), and each peculiarity of the recordings has to show in the twin's runs. It binds late
// and speaks in counts: demand is so much on a node, in a rack, anywhere, and an attempt is of a stage, of
// no task that it names, only how near to its input it is. A start is taken over first and done later. By a
// seed
//
//   - it is taken over in part, done in part, or not at all, and refused as stale though the book was right;
//   - it starts containers that nobody planned;
//   - nobody knows how many tasks a stage has: it asks for them little by little, dips to none in between,
//     and sometimes asks for more than it needs; an amendment may tell the number, or a part of it, in the
//     end or never, or one that turns out to be too low;
//   - it yields to a stock scheduler in the midst of plans, which then places work alone, and takes over
//     again;
//   - an ApplicationMaster asks before it has seen what it was given since it asked last, so it is given
//     too much, and gives that back;
//   - its rows are by place and priority: a map counts once for each replica, a failed one in rows of its
//     own, and a place that is wanted no more has a row of none;
//   - it registers some time after its start, dies with its containers, and the next one asks for what is
//     left;
//   - it blacklists a node, and that is told late: until then what is proposed there is stale;
//   - reduces are asked for before the last map is done;
//   - a job is cancelled: what runs of it does for a while, and then the job ends; or its ApplicationMaster
//     ends it, gives back all, and asks for reduces before it goes;
//   - a number of tasks that was asked for is set, or another one, or refused, and so is the sleep or the
//     waking of a node; it drains, and falls asleep late, or says so twice; one that wakes may never come, or
//     twice, or nobody was heard who asked; a cloud offers nodes, and takes them back;
//   - an ApplicationMaster asks for no more at a time than it was told is to be had;
//   - supplies change, and forecasts are issued;
//   - it lets us watch for a while, and the stock scheduler runs what it likes;
//   - attempts fail, some of them unseen: they end well, and only a second ask shows it;
//   - nodes go away and come back with what they held lost, which is told at once, or late, or never; an
//     end may be told of a container that nobody knows any more;
//   - nodes are decommissioned: they offer nothing, and go when nothing runs there, unless they are taken back;
//   - nodes get more room or less, users give jobs more time, another weight or another queue;
//   - a node, or the whole world, is silent for a while;
//   - an item is swallowed without an answer, until a resync tells what really is;
//   - in a resync all jobs arrive again, in any order and with their age, and all handles of attempts are
//     new; which jobs of a workflow are done only its other jobs say;
//   - its clock shows anything when it begins.
//
// It is honest in the end: what it says has happened did, a job whose work is done ends, and no mischief
// outlasts Config.Calm.
package adverse
