// Package sensor gives the nodes of a Hadoop cluster that part of their memory and cores which a sensor tells:
// where power, or load beside the cluster, leaves less. YARN calls that a node resource update; containers
// that run are not ended by it.
//
// Meters of what machines use are read in the same ways.
//
//	sensor.go  what tells the part: a trace, a command, Prometheus, a control group
//	meter.go   joules: of the processor, a file, Prometheus
//	nodes.go   what a ResourceManager is asked to do about it
package sensor
