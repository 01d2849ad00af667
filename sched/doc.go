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
// # Simultaneity
//
// A batch has one time and a round number. Events of an instant are ordered by time, class (the order of EventKind) and
// sequence. A batch of pure confirmations (Granted, Started, Progress) updates the book and does not wake Decide. One with refusals
// besides, and nothing else, wakes it once at each instant, so that a policy which asks again for what was just refused cannot keep
// time from passing.
package sched
