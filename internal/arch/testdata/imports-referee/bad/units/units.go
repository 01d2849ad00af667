// Package units is imported by the fixture.
package units
