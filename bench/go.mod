module github.com/seed2e45c115/dml/bench

go 1.24.0

require github.com/seed2e45c115/dml v0.0.0

require (
	github.com/klauspost/cpuid/v2 v2.4.2 // indirect
	golang.org/x/sys v0.41.0 // indirect
)

replace github.com/seed2e45c115/dml => ../
