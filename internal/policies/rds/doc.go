// Package rds is the policy of paper 000: slots for each job and stage by receding horizon control, in
// a cluster whose capacity changes.
package rds
