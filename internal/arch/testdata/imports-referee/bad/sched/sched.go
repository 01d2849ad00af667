// Package sched is imported by the fixture.
package sched
