module github.com/seed2e45c115/dml/bench

go 1.26.0

require (
	github.com/disintegration/imaging v1.6.2
	github.com/klauspost/cpuid/v2 v2.4.2
	github.com/seed2e45c115/dml v0.0.0
	github.com/stretchr/testify v1.12.1
	github.com/x448/float16 v0.8.4
	golang.org/x/image v0.47.0
	golang.org/x/perf v0.0.0-20251208221838-04cf7a2dca90
	golang.org/x/sys v0.49.0
)

require (
	github.com/aclements/go-moremath v0.0.0-20210112150236-f10218a38794 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
)

replace github.com/seed2e45c115/dml => ../
