// Package cloud rents nodes for a world, and gives them back. A world says to a Desk which of its
// nodes it wants by now; the Desk asks Providers until what there is is what is wanted.
//
//	desk.go   what is wanted against what there is
//	slots.go  a provider of slots of this machine
//	hook.go   a provider by a command of the user's
//
// # What may go wrong
//
// An answer may come late, twice, in part, or never. So no answer counts but a list of what there
// is: a node serves when a list says so, and is gone when two lists in a row lack it, or say that
// it does not serve any more. Each tenancy has a token of its own, and is rented by it again and
// again until a list has it, which is why to rent by a token twice must give one node. A node that
// does not come within three times its boot time and a minute, or is refused three times in a row,
// is given back by its token, whether it is there or not, and the world is told that it did not
// come. What lists have by a token of this run that nobody wants is given back: a rent whose answer
// was lost, or what a run has left that was killed and resumed.
package cloud
