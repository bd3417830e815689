package main

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/wire"
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/planner"
)

// errEnough ends a scan at the limit.
var errEnough = errors.New("enough rows")

func catCommand() *cobra.Command {
	var o catOptions
	cmd := &cobra.Command{
		Use:   "cat TABLE",
		Short: "Print the rows of a Delta table or of Parquet files",
		Long: `Print the rows of a Delta table, in a folder or at s3://bucket/prefix, or of a Parquet file (.parquet) or a folder of such files, which may lie in folders of it.

--where takes a condition in Spark SQL over the columns. Files of a Delta table that cannot have such rows, by their partition values or their statistics, are not read.

Where the store of s3:// is and who asks say the usual variables (AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID and so on), the shared
file of credentials, the role of the machine, or with --settings the s3 section of a pipeline file.`,
		Args: exactly(1, "the folder or s3:// path of a Delta table, or a Parquet file or a folder of them"),
		RunE: func(cmd *cobra.Command, args []string) error {
			out := bufio.NewWriter(cmd.OutOrStdout())
			print, err := newPrinter(o.format, out)
			if err != nil {
				return usageError{err}
			}
			if o.version < -1 || o.limit < 0 {
				return usageError{fmt.Errorf("--version is at least -1 and --limit at least 0")}
			}
			rows, err := openRows(cmd.Context(), args[0], o)
			if err != nil {
				return err
			}
			if err := o.print(cmd.Context(), rows, print); err != nil {
				return err
			}
			return errors.Join(print.end(), out.Flush())
		},
	}
	cmd.Flags().StringVar(&o.format, "format", "json", "json, csv or table")
	cmd.Flags().StringVar(&o.settings, "settings", "", "pipeline file whose s3 section says how to reach the table")
	cmd.Flags().Int64Var(&o.limit, "limit", 0, "print at most so many rows; 0: all")
	cmd.Flags().Int64Var(&o.version, "version", -1, "the table as of this version; -1: the newest")
	cmd.Flags().StringVar(&o.where, "where", "", "print the rows for which this condition is true, e.g. \"amount > 10 AND day = DATE '2026-01-31'\"")
	return cmd
}

type catOptions struct {
	format, settings, where string
	limit, version          int64
}

// print prints the rows that are asked for.
func (o catOptions) print(ctx context.Context, rows rowSource, p printer) error {
	where := compute.Bool(true)
	if o.where != "" {
		e, err := planner.Expression(o.where, rows.schema)
		if err != nil {
			return usageError{fmt.Errorf("--where: %w", err)}
		}
		if e.Type() != columnar.Boolean {
			return usageError{fmt.Errorf("--where: %s is %s, not a condition", e, e.Type())}
		}
		where = e
	}
	left := o.limit
	err := rows.scan(ctx, where, func(b *columnar.Batch) error {
		for i := range b.Rows() {
			if o.limit > 0 && left == 0 {
				return errEnough
			}
			left--
			if err := p.row(b, i); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// openTable opens the store of a table by the s3 settings of a pipeline file, if one is given.
func openTable(path, file string) (store.Store, error) {
	var settings store.S3Config
	if file != "" {
		pipelines, err := loadAll([]string{file})
		if err != nil {
			return nil, err
		}
		settings = pipelines[0].S3
	}
	return wire.Real(logger()).OpenStore(settings, path)
}

// printer prints rows in one format.
type printer struct {
	row func(b *columnar.Batch, i int) error
	end func() error
}

func newPrinter(format string, w io.Writer) (printer, error) {
	switch format {
	case "json":
		var line []byte
		return printer{end: func() error { return nil }, row: func(b *columnar.Batch, i int) error {
			line = append(columnar.AppendRowJSON(line[:0], b, i), '\n')
			_, err := w.Write(line)
			return err
		}}, nil
	case "csv":
		c := csv.NewWriter(w)
		return cellPrinter(func(cells []string) error { return c.Write(cells) }, func() error { c.Flush(); return c.Error() }), nil
	case "table":
		t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		return cellPrinter(func(cells []string) error {
			_, err := fmt.Fprintln(t, strings.Join(cells, "\t"))
			return err
		}, t.Flush), nil
	}
	return printer{}, fmt.Errorf("--format %s: known are json, csv, table", format)
}

// cellPrinter prints a line of names, then the values as texts; a string stands without quotes, a NULL is empty.
func cellPrinter(line func([]string) error, end func() error) printer {
	named := false
	return printer{end: end, row: func(b *columnar.Batch, i int) error {
		cells := make([]string, b.Schema().Len())
		if !named {
			named = true
			for j, f := range b.Schema().Fields {
				cells[j] = f.Name
			}
			if err := line(cells); err != nil {
				return err
			}
		}
		for j := range cells {
			cells[j] = cell(b.Column(j), i)
		}
		return line(cells)
	}}
}

func cell(c columnar.Column, i int) string {
	if c.IsNull(i) {
		return ""
	}
	text := string(columnar.AppendValueJSON(nil, c, i))
	if columnar.IsString(c) {
		return columnar.StringAt(c, i)
	}
	return strings.Trim(text, `"`)
}

func sortedApps(e lakehouse.Entry) []string {
	var apps []string
	for app := range e.Txns {
		apps = append(apps, app)
	}
	slices.Sort(apps)
	return apps
}
