package convert

// Sample is an element of a picture of 16 bits: the high byte first, whatever the machine's order, in
// 257ths of what 8 bits count.
type Sample uint16
