# Bare `make` lists the targets. Targets run, test, race and bench need no more than Go and gcc, and
# all of these but race do without gcc, too.
.DEFAULT_GOAL := help
GO ?= go
export GO

.PHONY: help run test race sanitize fuzz faults cover proof vet emulate cross builds test-directml deps bench jobs findings lint vuln lines release clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /  make \1	/p' Makefile | expand -t 22

run: ## build the command into bin/, and slice a picture and an array into out/, with what each took
	$(GO) build -o bin/ ./slice1/cmd/slice1
	@mkdir -p out
	bin/slice1 -force -v '[20:260:2, 420:100:-2]' testdata/chelsea.png out/chelsea.png
	bin/slice1 -force -v '[:, ::-1, ::2, ::-1]' testdata/arrays/f32_nchw.npy out/f32_nchw.npy
	bin/slice1 -force -v -mean 0.485,0.456,0.406 -std 0.229,0.224,0.225 -axes 2,0,1 '[144:368, 144:368]' testdata/astronaut.png out/tensor.npy
	@echo 'see $(CURDIR)/out/chelsea.png'

test: ## run all tests
	$(GO) test ./...

race: ## run the tests, in short form, under the race detector (needs a C compiler), but those of packages that start no goroutine
	$(GO) test -race -short $$($(GO) list ./... | grep -Ev '/internal/(nest|plan|plan/calibrate|portable|translate)$$')

SKIP ?= Allocate|BytesOfWays
sanitize: ## run tests of csrc, slice1 and plan with address and undefined-behaviour sanitizers in the C kernels, but those that the pattern SKIP matches
	CGO_CFLAGS='-g -fsanitize=undefined -fno-sanitize-recover=all' CGO_LDFLAGS=-fsanitize=undefined \
		$(GO) test -asan -short -skip '$(SKIP)' -tags s1_sanitize ./slice1 ./slice1/internal/engine ./slice1/internal/plan

TIME ?= 10s
SECONDS = $$(($(subst h,*3600,$(subst m,*60,$(TIME:s=)))))
fuzz: ## fuzz every Go target for at least TIME each, TIME=10s (inputs that fail go to testdata/fuzz beside the target)
	.ci/fuzz $(SECONDS)

faults: ## plant faults in the library and require that a test catches each (half an hour; qemu-user, aarch64 gcc)
	.ci/faults

cover: ## require that the tests run at least 95 % of the Go statements and every branch of the C kernels (x86-64 Linux; gcc with gcov, qemu-user, aarch64 gcc)
	.ci/cover

proof: ## run tests and instruments in full and print what was compared where, how often, with what failures (Debian for x86-64; about an hour on 2 cores)
	.ci/proof

vet: ## check types for every system and processor Go knows, and vet for this one and for those that differ most
	.ci/vet windows/amd64 darwin/arm64 js/wasm

emulate: ## test on emulated arm64, s390x, arm, x86-64, wasm and on 386 (x86-64 Linux; qemu-user, aarch64 gcc, node)
	.ci/emulate

MINGW = CC=x86_64-w64-mingw32-gcc GOOS=windows GOARCH=amd64 CGO_ENABLED=1
cross: ## build for other systems, and for Windows with mingw and with clang, which links no command there (mingw gcc, clang)
	for target in windows/amd64 windows/arm64 darwin/amd64 darwin/arm64 linux/arm64 linux/riscv64; do \
		echo $$target; GOOS=$${target%/*} GOARCH=$${target#*/} CGO_ENABLED=0 $(GO) build ./... || exit 1; \
	done
	$(MINGW) $(GO) build ./...
	$(MINGW) $(GO) vet ./...
	CC='clang --target=aarch64-w64-windows-gnu -isystem /usr/share/mingw-w64/include' GOOS=windows GOARCH=arm64 CGO_ENABLED=1 \
		$(GO) vet $$(GOOS=windows $(GO) list -f '{{if ne $$.Name "main"}}{{.ImportPath}}{{end}}' ./...)
	$(MINGW) $(GO) test -c -o /dev/null ./slice1
	$(MINGW) $(GO) build -o /dev/null ./slice1/cmd/slice1

builds: ## build with musl and clang, static, position-independent, as libraries for C, vendored, without paths, and run each (Debian; installs musl-tools, clang)
	.ci/check builds

test-directml: ## test directml and the Windows build on Microsoft's DirectML.dll (Debian 12 on x86-64, root or sudo, npm registry; installs Wine, Xvfb, Mesa, mingw gcc)
	.ci/directml

deps: ## check that the library packages import only what they may
	.ci/check deps

bench: ## run the benchmarks, write their figures to out/bench
	$(GO) -C bench run . -o ../out/bench

jobs: ## run ten everyday programs as people write them and as they are here, and write bench/JOBS.md
	$(GO) -C bench run ./jobs >bench/JOBS.md.new && mv bench/JOBS.md.new bench/JOBS.md && grep '^|' bench/JOBS.md

findings: ## run what findings/ shows of other libraries: a line for each, holds or CHANGED (Debian 12 for x86-64; node, npm, gcc; half an hour)
	@status=0; for script in findings/*.sh; do \
		name=$$(basename $$script .sh); \
		if seen=$$(bash $$script 2>&1); then echo "$$name: holds"; \
		elif [ $$? = 2 ]; then status=1; printf '%s: not run\n%s\n' "$$name" "$$seen"; \
		else status=1; printf '%s: CHANGED\n%s\n' "$$name" "$$seen"; fi; \
	done; exit $$status

# With -matrix, only what is unused on all of these systems is reported as unused.
STATICCHECK = $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2
lint: ## check the format of Go and C, run staticcheck (Debian; Go module proxy; installs clang-format)
	@$$($(GO) env GOROOT)/bin/gofmt -d . .ci 2>&1 | (! grep .)
	@bash -c ". .ci/common; install clang-format"
	clang-format --dry-run --Werror csrc/*.h
	printf '%s\n' 'linux: GOOS=linux GOARCH=amd64' 'windows: GOOS=windows GOARCH=amd64 CGO_ENABLED=0' | $(STATICCHECK) -matrix ./...
	cd bench && $(STATICCHECK) ./...

VULNDB ?= https://vuln.go.dev
GOVULNCHECK = $(GO) run $(1) golang.org/x/vuln/cmd/govulncheck@v1.1.4 -db $(VULNDB)
vuln: ## run govulncheck with the Go vulnerability database, or with the copy at the address VULNDB
	@if curl -fsS -m 30 -o /dev/null $(VULNDB)/index/db.json; then \
		$(GOVULNCHECK) ./... && $(call GOVULNCHECK,-exec 'env GOOS=windows CGO_ENABLED=0') ./... && $(GOVULNCHECK) -C bench ./...; \
	elif [ '$(origin VULNDB)' = file ]; then echo 'NOT CHECKED: known vulnerabilities, for $(VULNDB) cannot be reached; VULNDB names a copy'; \
	else exit 1; fi

lines: ## print the lines of code by package: no empty lines, comments, tests
	@git ls-files '*.go' '*.c' '*.h' .ci | grep -Ev '_test\.go$$|testdata/' | xargs awk ' \
		{ sub(/^[ \t]+/, "") } /^\/\*/ { block = 1 } block { if (/\*\//) block = 0; next } \
		/^$$/ || /^\/\// || /^#/ && FILENAME ~ /^\.ci/ { next } \
		{ p = FILENAME; if (!sub(/\/[^\/]*$$/, "", p)) p = "."; if (p ~ /^\.ci/) p = ".ci"; n[p]++; all++ } \
		END { for (p in n) print n[p], p; print all, "all" }' | sort -rn

# The same sources, VERSION and Go give the same bytes in any folder. Without cgo, Go's own vector
# instructions are the fastest there are on amd64, if this Go has them.
DIST ?= dist
VERSION ?=
TARGETS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
release: ## build the command for Linux, macOS and Windows into dist/, with checksums; VERSION=... names them otherwise than the source does
	mkdir -p $(DIST) && rm -f $(DIST)/slice1-* $(DIST)/SHA256SUMS
	@experiment=$$(GOEXPERIMENT=simd GOARCH=amd64 $(GO) list ./slice1 >/dev/null 2>&1 && echo simd); \
	for target in $(TARGETS); do \
		export CGO_ENABLED=0 GOOS=$${target%/*} GOARCH=$${target#*/} GOAMD64=v1 GOARM64=v8.0 GOFLAGS= GOEXPERIMENT=; \
		[ $$GOARCH != amd64 ] || GOEXPERIMENT=$$experiment; \
		name=slice1-$$GOOS-$$GOARCH; [ $$GOOS != windows ] || name=$$name.exe; \
		$(GO) build -trimpath -buildvcs=false -ldflags '-s -w -buildid= $(if $(VERSION),-X main.version=$(VERSION))' \
			-o $(DIST)/$$name ./slice1/cmd/slice1 || exit 1; \
	done
	@cd $(DIST) && sha256sum slice1-* | tee SHA256SUMS

clean: ## remove the folders bin, out and dist, which other targets make
	rm -rf bin out dist
