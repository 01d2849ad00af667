// Package order is imported by the fixture.
package order
