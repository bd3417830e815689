package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/decode"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/microbatch/source/kafka"
	"github.com/lakewheel/lakewheel/offsets"
)

// inferFlags are those of the command infer.
type inferFlags struct {
	source, format, separator string
	records                   int
	header                    bool
}

func inferCommand() *cobra.Command {
	var f inferFlags
	cmd := &cobra.Command{
		Use:   "infer FILE",
		Short: "Propose a schema from the records of a file, or from the head of a pipeline's topic",
		Long: "Reads the first records of an NDJSON or CSV file, or those at the start of the topic that a pipeline file (.yaml) names,\n" +
			"and prints the schema that they have in common as DDL. The pipeline file needs no schema, query or sink yet.",
		Args: exactly(1, "one file: records (.json, .ndjson, .csv) or a pipeline (.yaml)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.records < 1 || len(f.separator) != 1 {
				return usageError{errors.New("--records is at least 1 and --separator one character")}
			}
			return infer(cmd, args[0], f)
		},
	}
	cmd.Flags().StringVar(&f.source, "source", "", "the source of the pipeline file (default: the first)")
	cmd.Flags().StringVar(&f.format, "format", "", "json or csv (default: by the name of the file, or as the source says)")
	cmd.Flags().StringVar(&f.separator, "separator", ",", "what parts the values of CSV")
	cmd.Flags().BoolVar(&f.header, "header", false, "the first record of a CSV file names the columns")
	cmd.Flags().IntVar(&f.records, "records", 1000, "how many records to read")
	return cmd
}

// inference is decode.Inference or decode.CSVInference.
type inference interface {
	Add(doc []byte) error
	Type() columnar.Type
}

func infer(cmd *cobra.Command, file string, f inferFlags) error {
	read := recordsOfFile
	if ext := filepath.Ext(file); ext == ".yaml" || ext == ".yml" {
		read = recordsOfTopic
	} else if f.format == "" {
		f.format = map[bool]string{true: "csv", false: "json"}[ext == ".csv"]
	}
	var n inference
	seen, bad := 0, 0
	var first error
	err := read(cmd.Context(), file, &f, func(doc []byte, where string) error {
		if n == nil {
			var err error
			if n, err = newInference(doc, f); err != nil || f.header {
				return err
			}
		}
		if seen++; len(doc) == 0 {
			return nil
		}
		if err := n.Add(doc); err != nil {
			if bad++; first == nil {
				first = fmt.Errorf("%s: %w", where, err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if seen == bad {
		return fmt.Errorf("%s: no record to infer from (%d read); first fault: %w", file, seen, first)
	}
	if bad > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d records were left out; first: %v\n", bad, seen, first)
	}
	warnOfCase(cmd.ErrOrStderr(), n.Type())
	return printProposal(cmd.OutOrStdout(), n.Type(), f.format)
}

func newInference(doc []byte, f inferFlags) (inference, error) {
	switch f.format {
	case "json":
		return &decode.Inference{Times: true}, nil
	case "csv":
		n := &decode.CSVInference{Options: decode.CSVOptions{Separator: f.separator[0]}}
		if !f.header {
			return n, nil
		}
		names, err := decode.SplitCSV(doc, n.Options)
		for _, name := range names {
			n.Names = append(n.Names, string(name))
		}
		return n, err
	}
	return nil, usageError{fmt.Errorf("--format %s: known are json, csv; raw records have the schema _value BINARY", f.format)}
}

// warnOfCase names fields that differ in case alone: a schema can have one of them.
func warnOfCase(w io.Writer, t columnar.Type) {
	seen := map[string]string{}
	for _, f := range t.Parts() {
		folded := strings.ToLower(f.Name)
		if other, ok := seen[folded]; ok {
			fmt.Fprintf(w, "%s and %s differ in case alone; declare one of them, the other one can be had from _rescued\n", other, f.Name)
		}
		seen[folded] = f.Name
	}
}

func printProposal(w io.Writer, t columnar.Type, format string) error {
	if t.Kind != columnar.StructKind {
		return fmt.Errorf("the records are %s, not objects; read them with format: raw and from_json(CAST(_value AS STRING), '%s')", t, t)
	}
	parts := make([]string, len(t.Parts()))
	for i, f := range t.Parts() {
		parts[i] = columnar.QuoteName(f.Name) + " " + declarable(f.Type).String()
	}
	fmt.Fprintf(w, "format: %s\nschema: >-\n  %s\n", format, strings.Join(parts, ",\n  "))
	return nil
}

// declarable makes STRING, which takes the text, of objects that were always empty.
func declarable(t columnar.Type) columnar.Type {
	fields := make([]columnar.Field, len(t.Parts()))
	for i, f := range t.Parts() {
		fields[i] = columnar.Field{Name: f.Name, Type: declarable(f.Type)}
	}
	switch {
	case t.Kind == columnar.ArrayKind:
		return columnar.Array(fields[0].Type)
	case t.Kind == columnar.StructKind && len(fields) > 0:
		return columnar.Struct(fields...)
	case t.Kind == columnar.StructKind:
		return columnar.String
	}
	return t
}

// recordsOfFile calls use for the first lines of a file.
func recordsOfFile(_ context.Context, file string, f *inferFlags, use func(doc []byte, where string) error) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for n := 1; n <= f.records && lines.Scan(); n++ {
		if err := use(bytes.TrimSpace(lines.Bytes()), fmt.Sprintf("%s:%d", file, n)); err != nil {
			return err
		}
	}
	return lines.Err()
}

// recordsOfTopic calls use for records at the start of each partition of a source.
func recordsOfTopic(ctx context.Context, file string, f *inferFlags, use func(doc []byte, where string) error) error {
	s, err := config.LoadSource(file, f.source, os.LookupEnv)
	if err != nil {
		return err
	}
	if s.Kafka == nil {
		return fmt.Errorf("%s: source %s is no Kafka topic; give infer one of its files instead", file, s.Name)
	}
	if f.format == "" {
		f.format = s.Format
	}
	if s.CSV.Separator != 0 {
		f.separator = string(rune(s.CSV.Separator))
	}
	src, err := kafka.Open(ctx, *s.Kafka, microbatch.SystemClock{}.Sleep)
	if err != nil {
		return err
	}
	defer src.Close()
	found, err := src.Available(ctx, offsets.Progress{})
	if err != nil {
		return err
	}
	from := found.Progress.Positions()
	until := offsets.Plan(from, found.Ends, int64(f.records))
	for _, part := range from.Sorted() {
		if err := headOf(ctx, src, offsets.Range{Partition: part, From: from[part], Until: until[part]}, use); err != nil {
			return err
		}
	}
	return nil
}

// headOf calls use for the records of a range that have a value.
func headOf(ctx context.Context, src source.Source, r offsets.Range, use func(doc []byte, where string) error) error {
	if r.Until <= r.From {
		return nil
	}
	reader, err := src.Read(ctx, r)
	if err != nil {
		return err
	}
	defer reader.Close()
	for {
		b, err := reader.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		values := b.Column(source.ValueAt)
		for i := range b.Rows() {
			if values.IsNull(i) {
				continue
			}
			where := fmt.Sprintf("topic %s, partition %d, offset %d", r.Partition.Topic, r.Partition.ID, columnar.Int64At(b.Column(source.OffsetAt), i))
			if err := use(columnar.BinaryAt(values, i), where); err != nil {
				b.Release()
				return err
			}
		}
		b.Release()
	}
}
