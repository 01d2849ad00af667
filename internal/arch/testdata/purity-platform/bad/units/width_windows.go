package units // want purity-platform

const width = 1
