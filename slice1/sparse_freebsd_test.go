package slice1_test

// FreeBSD reserves no memory for a mapping and has no flag to say so.
const noReserve = 0
