// Package store is imported by the fixture.
package store
