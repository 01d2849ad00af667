// Package sim plays.
package sim

// Wide is a comment that goes on and on, far beyond the column at which a reader would like to see the end of a line of it. // want text-width
const Wide = 1

const Behind = 2 // a trailing comment that goes on and on, far beyond the column at which a reader would like to see its end // want text-width
