// Package workload is imported by the fixture.
package workload
