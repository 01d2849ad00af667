// Package stat is imported by the fixture.
package stat
