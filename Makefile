# Targets for people and CI. Needs Go; `make integration` and `make bench` also need Java 17, Maven and Python 3.
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: build test race poison lint fuzz bench integration soak

build:
	CGO_ENABLED=0 go build -trimpath -o bin/lakewheel ./cmd/lakewheel

test:
	go test ./...

# The randomised tests run fewer rounds here: what they do concurrently is the same in each.
race:
	go test -race -short ./...

# Over memory full of garbage: finds columns with bytes that nobody wrote.
poison:
	go test -tags poison ./columnar/... ./planner/... ./microbatch/... ./lakehouse/... ./cmd/...

lint:
	test -z "$$(gofmt -l .)"
	go vet ./...
	go vet -tags integration ./...
	go run $(STATICCHECK) ./...

# Every fuzz target for a short while.
fuzz:
	@for pkg in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u); do \
	  for target in $$(grep -ho '^func Fuzz[A-Za-z]*' $$pkg/*_test.go | cut -c6-); do \
	    echo "$$pkg $$target"; go test $$pkg -run '^$$' -fuzz "^$$target$$" -fuzztime $${FUZZTIME:-10s} || exit 1; \
	  done; done

bench:
	bench/run.sh

integration:
	go test -p 1 -tags integration -count=1 -timeout 20m ./integration/...

# The full matrices: all crash seeds, long fuzzing.
soak:
	CRASHES=20 S3_FAULTS=all go test -p 1 -tags integration -count=1 -timeout 90m ./integration/...
	FUZZTIME=5m $(MAKE) fuzz
