// Package units holds the quantities of Slackline: instants, spans, bytes, power, energy and resource vectors.
//
// Each quantity is a type of its own, so that a span cannot be taken for an instant or watts for
// joules, and each prints itself in the form that Parse reads again. Time is an int64 count of
// nanoseconds from the start of a run; no type here knows a wall clock.
package units
