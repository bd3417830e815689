package config

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"regexp"
	"strconv"

	"github.com/goccy/go-yaml/ast"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/decode"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/microbatch/exec"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/microbatch/source/kafka"
	"github.com/lakewheel/lakewheel/offsets"
	"github.com/lakewheel/lakewheel/planner"
)

func (f *fileReader) readSources(n ast.Node) {
	for _, p := range f.pairs(n, "sources") {
		if !nameRule.MatchString(p.name) {
			f.fault(p.key, "sources: %q is not 1 to 64 of the characters a-z 0-9 _ -", p.name)
		}
		if _, twice := f.sources[p.name]; twice {
			f.fault(p.key, "sources: %s is there twice", p.name)
		}
		f.sources[p.name] = f.source(p)
		f.declared = append(f.declared, p)
	}
}

func (f *fileReader) source(p pair) *Source {
	s := defaultSource(p.name)
	what := "sources." + p.name
	kinds := 0
	var checks []func()
	var nullAt, formatAt ast.Node
	resolve := func() {}
	f.fields(p.value, what, map[string]func(ast.Node){
		"kafka": func(n ast.Node) {
			kinds++
			s.Kafka = f.kafka(n, p.name, what+".kafka")
		},
		"memory": func(n ast.Node) { kinds++; f.fields(n, what+".memory", map[string]func(ast.Node){}) },
		"files": func(n ast.Node) {
			kinds++
			checks = append(checks, f.files(n, s, what+".files"))
		},
		"delta": func(n ast.Node) {
			kinds++
			resolve = f.deltaSource(n, s, what+".delta")
		},
		"format": func(n ast.Node) {
			formatAt = n
			choice(f.reader, &s.Format, what+".format", map[string]string{"json": "json", "raw": "raw", "csv": "csv", "parquet": "parquet"})(n)
		},
		"csv": func(n ast.Node) {
			f.fields(n, what+".csv", map[string]func(ast.Node){
				"separator": f.byte(&s.CSV.Separator, what+".csv.separator"),
				"quote":     f.byte(&s.CSV.Quote, what+".csv.quote"),
				"null":      f.string(&s.CSV.Null, what+".csv.null"),
				"header":    f.bool(&s.Header, what+".csv.header"),
				"multiline": f.bool(&s.Multiline, what+".csv.multiline"),
			})
		},
		"schema":        f.schema(&s.Schema, what+".schema"),
		"on_bad_record": choice(f.reader, &s.OnBad, what+".on_bad_record", map[string]microbatch.OnBad{"dead_letter": microbatch.DeadLetter, "fail": microbatch.FailOnBad, "drop": microbatch.DropBad}),
		"on_null_value": func(n ast.Node) {
			nullAt = n
			choice(f.reader, &s.OnNull, what+".on_null_value", map[string]exec.OnNull{"skip": exec.SkipNull, "dead_letter": exec.DeadLetterNull, "row": exec.RowForNull})(n)
		},
		"bad_records": func(n ast.Node) {
			f.fields(n, what+".bad_records", map[string]func(ast.Node){
				"max_ratio":   f.ratio(&s.Bad.MaxRatio, what+".bad_records.max_ratio"),
				"min_records": f.whole(&s.Bad.MinRecords, what+".bad_records.min_records", 1),
			})
		},
		"bootstrap": func(n ast.Node) { checks = append(checks, f.bootstrap(n, s, what+".bootstrap")) },
		"watermark": func(n ast.Node) { checks = append(checks, f.watermark(n, s, what+".watermark")) },
		"dedup":     func(n ast.Node) { checks = append(checks, f.dedup(n, s, what+".dedup")) },
	})
	if kinds != 1 {
		f.fault(p.key, "%s: expected exactly one of kafka, files, delta, memory", what)
	}
	if s.Delta != nil {
		s.Format = f.tableFormat(formatAt, what)
	}
	f.checkFormat(p, s, what, nullAt)
	f.checks = append(f.checks, func() {
		resolve()
		f.formatSchema(p, s, what)
		for _, check := range checks {
			check()
		}
	})
	return s
}

// formatSchema is the schema that the format gives: raw has one column, everything else needs one.
func (f *fileReader) formatSchema(p pair, s *Source, what string) {
	raw := columnar.NewSchema(columnar.Field{Name: source.ValueColumn, Type: columnar.Binary, Nullable: true})
	switch {
	case s.Format == "raw" && s.Schema == nil:
		s.Schema = raw
	case s.Format == "raw" && !s.Schema.Equal(raw):
		f.fault(p.key, "%s: format raw has the schema _value BINARY; leave schema out", what)
	case f.anySchema, s.Delta != nil && s.Schema == nil:
	case s.Format != "raw" && s.Schema == nil && !f.faultWithin(what+".schema"):
		f.fault(p.key, "%s: schema is missing, e.g. schema: id BIGINT, ts TIMESTAMP (lakewheel infer proposes one)", what)
	case s.Schema != nil:
		f.decodable(p, s, what)
	}
}

// decodable refuses columns that the format has no form for.
func (f *fileReader) decodable(p pair, s *Source, what string) {
	corrupt := s.Schema.Index(exec.CorruptField) >= 0
	for _, c := range s.Schema.Fields {
		switch {
		case (c.Name == exec.CorruptField || c.Name == decode.RescuedField) && (c.Type != columnar.String || !c.Nullable):
			f.fault(p.key, "%s.schema: %s is a STRING that may be NULL", what, c.Name)
		case c.Name == decode.RescuedField && s.Format != "json":
			f.fault(p.key, "%s.schema: %s is for format json, whose fields have names", what, c.Name)
		case corrupt && !c.Nullable:
			f.fault(p.key, "%s.schema: %s cannot be NOT NULL beside %s, whose rows have NULL everywhere else", what, c.Name, exec.CorruptField)
		case s.Format == "csv" && c.Type.Nested():
			f.fault(p.key, "%s.schema: %s %s has no form in CSV; declare it STRING and use from_json", what, c.Name, c.Type)
		default:
			if bad, found := undecodable(c.Type); found {
				f.fault(p.key, "%s.schema: %s %s cannot be read; %s", what, c.Name, c.Type, bad)
			}
		}
	}
}

// undecodable finds a part of a type that no document has, and says what to declare instead.
func undecodable(t columnar.Type) (advice string, found bool) {
	switch {
	case t.Interval():
		return "declare it BIGINT or STRING and compute the interval in the query", true
	case t == columnar.Null:
		return "VOID is no type of a column", true
	case t.Kind == columnar.MapKind && t.KeyType() != columnar.String:
		return "the keys of a MAP are STRING", true
	}
	for _, part := range t.Parts() {
		if advice, found = undecodable(part.Type); found {
			return advice, true
		}
	}
	return "", false
}

// faultWithin reports whether a key has a fault already, so that a second one would only repeat it.
func (f *fileReader) faultWithin(what string) bool {
	for _, fault := range f.faults {
		if len(fault.Message) >= len(what) && fault.Message[:len(what)] == what {
			return true
		}
	}
	return false
}

func (f *fileReader) schema(to **columnar.Schema, what string) func(ast.Node) {
	return func(n ast.Node) {
		text, ok := f.scalar(n, what)
		if !ok {
			return
		}
		s, err := planner.ParseSchema(text)
		if err == nil {
			*to = s
			return
		}
		e, ok := asPlannerError(err)
		if !ok {
			f.fault(n, "%s: %v", what, err)
			return
		}
		line, column := f.place(n, e.Offset)
		f.faultAt(line, column, "%s: %s", what, sentence(e))
	}
}

func (f *fileReader) kafka(n ast.Node, name, what string) *kafka.Config {
	c := &kafka.Config{Name: name}
	topic, user, password, mechanism := "", "", "", ""
	var startAt ast.Node
	f.fields(n, what, map[string]func(ast.Node){
		"brokers":       f.strings(&c.Brokers, what+".brokers"),
		"topic":         f.string(&topic, what+".topic"),
		"topics":        f.strings(&c.Topics, what+".topics"),
		"topic_pattern": f.string(&c.Pattern, what+".topic_pattern"),
		"start":         func(n ast.Node) { startAt = n },
		"isolation":     choice(f.reader, &c.ReadUncommitted, what+".isolation", map[string]bool{"read_committed": false, "read_uncommitted": true}),
		"on_data_loss":  choice(f.reader, &c.SkipLoss, what+".on_data_loss", map[string]bool{"fail": false, "skip": true}),
		"group":         f.string(&c.Group, what+".group"),
		"sasl": func(n ast.Node) {
			f.fields(n, what+".sasl", map[string]func(ast.Node){
				"mechanism": choice(f.reader, &mechanism, what+".sasl.mechanism", map[string]string{"PLAIN": "PLAIN", "SCRAM-SHA-256": "SCRAM-SHA-256", "SCRAM-SHA-512": "SCRAM-SHA-512"}),
				"user":      f.secret(&user, what+".sasl.user"),
				"password":  f.secret(&password, what+".sasl.password"),
			})
		},
		"tls": func(n ast.Node) { c.TLS = f.tls(n, what+".tls") },
	})
	if topic != "" {
		c.Topics = append(c.Topics, topic)
	}
	c.SASL = kafka.SASL{Mechanism: mechanism, User: user, Password: password}
	if startAt != nil {
		c.Start = f.start(startAt, what+".start", c.Topics)
	}
	f.checkKafka(n, c, what)
	return c
}

func (f *fileReader) checkKafka(n ast.Node, c *kafka.Config, what string) {
	if len(c.Brokers) == 0 {
		f.fault(n, "%s: brokers is missing, e.g. brokers: [\"127.0.0.1:9092\"]", what)
	}
	if (len(c.Topics) > 0) == (c.Pattern != "") {
		f.fault(n, "%s: expected exactly one of topic, topics, topic_pattern", what)
	}
	if _, err := regexp.Compile(c.Pattern); err != nil {
		f.fault(n, "%s.topic_pattern: %v", what, err)
	}
	if s := c.SASL; (s.Mechanism == "") != (s.User == "") || (s.User == "") != (s.Password == "") {
		f.fault(n, "%s.sasl: mechanism, user and password belong together", what)
	}
}

// start is earliest, latest, {time: ...} or {offsets: {partition: offset}}.
func (f *fileReader) start(n ast.Node, what string, topics []string) kafka.Start {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
	default:
		var s kafka.Start
		choice(f.reader, &s.Kind, what, map[string]kafka.StartKind{"earliest": kafka.Earliest, "latest": kafka.Latest})(n)
		return s
	}
	s := kafka.Start{Kind: kafka.Earliest}
	f.fields(n, what, map[string]func(ast.Node){
		"time": func(n ast.Node) {
			s.Kind = kafka.AtTime
			f.time(&s.Time, what+".time")(n)
		},
		"offsets": func(n ast.Node) {
			s.Kind, s.Offsets = kafka.AtOffsets, f.startOffsets(n, what+".offsets", topics)
		},
	})
	return s
}

func (f *fileReader) startOffsets(n ast.Node, what string, topics []string) offsets.Positions {
	out := offsets.Positions{}
	if len(topics) != 1 {
		f.fault(n, "%s: offsets can be given for one topic only", what)
		return out
	}
	for _, p := range f.pairs(n, what) {
		id, err := strconv.ParseInt(p.name, 10, 32)
		if err != nil || id < 0 {
			f.fault(p.key, "%s: expected a partition number, got %q", what, p.name)
			continue
		}
		var at int64
		f.whole(&at, what+"."+p.name, -2)(p.value)
		out[offsets.Partition{Topic: topics[0], ID: int32(id)}] = at
	}
	return out
}

// tls is true, or {ca, cert, key, server_name}.
func (f *fileReader) tls(n ast.Node, what string) *tls.Config {
	if _, ok := n.(*ast.BoolNode); ok {
		on := false
		f.bool(&on, what)(n)
		if !on {
			return nil
		}
		return &tls.Config{MinVersion: tls.VersionTLS12}
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	ca, cert, key := "", "", ""
	f.fields(n, what, map[string]func(ast.Node){
		"ca":          f.string(&ca, what+".ca"),
		"cert":        f.string(&cert, what+".cert"),
		"key":         f.string(&key, what+".key"),
		"server_name": f.string(&c.ServerName, what+".server_name"),
	})
	if ca != "" {
		pem, err := os.ReadFile(ca)
		c.RootCAs = x509.NewCertPool()
		if err != nil || !c.RootCAs.AppendCertsFromPEM(pem) {
			f.fault(n, "%s.ca: %s holds no certificate that can be read", what, ca)
		}
	}
	if cert != "" || key != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			f.fault(n, "%s.cert: %v", what, err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c
}

func asPlannerError(err error) (*planner.Error, bool) {
	switch e := err.(type) {
	case *planner.Error:
		return e, true
	case planner.Errors:
		return e[0], true
	}
	return nil, false
}
