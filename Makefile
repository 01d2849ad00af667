# Thin on purpose: what is done stands in .ci/run, so that a developer and CI run the same.
.DEFAULT_GOAL := help
.PHONY: help build test race lint fuzz bench cross ci release day daypage pgo validate reproduce bench-engine differ referee rig long

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build the command into bin/
	CGO_ENABLED=0 go build -o bin/ ./cmd/slackline

test: ## run the tests
	bash .ci/run test

race: ## run the tests under the race detector (needs a C compiler)
	bash .ci/run race

lint: ## gofmt, vet, staticcheck and the architecture test
	bash .ci/run gofmt vet staticcheck arch

fuzz: ## fuzz every parser for a short while (FUZZ_TOTAL, FUZZ_EACH in seconds)
	bash .ci/run fuzz

bench: ## run the benchmarks (BENCH=regexp)
	bash .ci/run bench

cross: ## build and vet for linux, darwin and windows, amd64 and arm64 (CROSS=all: each pair of them)
	bash .ci/run cross

ci: ## all that every change passes
	bash .ci/run

release: ## static binaries for each platform, with their sums, in dist/
	bash .ci/run release

bench-engine: ## the engine beside DuckDB, GNU tools and the floor, in turn; writes results/engine-DATE.txt
	bash .ci/run engine

day: ## play the day FB-2010 of SWIM, cut, repeated and on clusters of several sizes; writes results/day-DATE.txt
	bash .ci/run day

daypage: ## draw the page of that day in a headless Chromium; writes results/daypage-DATE.txt
	bash .ci/run daypage

pgo: ## profile that day again for the compiler: cmd/slackline/default.pgo
	bash .ci/run pgo

reproduce: ## run all published evaluations again; writes results/reproduce-DATE.txt
	bash .ci/run reproduce

referee: ## decide a thousand random runs of each policy a second time; writes results/referee-DATE.txt
	bash .ci/run referee

rig: ## load a real ResourceManager with simulated nodes and ApplicationMasters (RIG=settings); writes results/rig-DATE.txt
	bash .ci/run rig

validate: ## hold the simulator against this machine; writes results/validate-DATE.txt
	bash .ci/run validate

differ: ## applications and examples against independent oracles; writes results/differ-DATE.txt
	bash .ci/run differ

long: ## the second tier: full counts, longer fuzzing, benchmarks; writes results/long-DATE.txt
	bash .ci/run long
