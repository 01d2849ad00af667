// Package drive is imported by the fixture.
package drive
