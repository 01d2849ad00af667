// Package cluster is imported by the fixture.
package cluster
