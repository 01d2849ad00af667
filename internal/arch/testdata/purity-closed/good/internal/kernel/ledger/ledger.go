// Package ledger is imported by the fixture.
package ledger
