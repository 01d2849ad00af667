// Package racks holds racks.
package racks
