// Package adverse is imported by the fixture.
package adverse
