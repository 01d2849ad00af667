// Package engine is not pure and may know the machine.
package engine
