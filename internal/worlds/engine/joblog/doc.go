// Package joblog keeps the write-ahead log of a job, and the lock on its output directory.
//
// A log is a text file of one record a line: the CRC32C of the record in eight hexadecimal digits, a space, the record as JSON. It is only
// ever appended to. A process that dies, or a disk that is full, leaves a torn last line; what comes after it begins a line of its own.
// Whoever reads takes in the lines whose checksums match and passes over others: a record that is missing is work that is done again, and
// what a record claims is checked against the disk besides.
package joblog
