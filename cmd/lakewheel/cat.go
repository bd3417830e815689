package main

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/wire"
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// errEnough ends a scan at the limit.
var errEnough = errors.New("enough rows")

func catCommand() *cobra.Command {
	format, file, limit, version := "", "", int64(0), int64(-1)
	cmd := &cobra.Command{
		Use:   "cat TABLE",
		Short: "Print the rows of a Delta table",
		Long: `Print the rows of a Delta table, in a folder or at s3://bucket/prefix.

Where the store of s3:// is and who asks say the usual variables (AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID and so on), the shared
file of credentials, the role of the machine, or with --settings the s3 section of a pipeline file.`,
		Args: exactly(1, "the folder or s3:// path of a Delta table"),
		RunE: func(cmd *cobra.Command, args []string) error {
			out := bufio.NewWriter(cmd.OutOrStdout())
			print, err := newPrinter(format, out)
			if err != nil {
				return usageError{err}
			}
			objects, err := openTable(args[0], file)
			if err != nil {
				return err
			}
			table := delta.Open(objects, uuid.NewString)
			if version < -1 || limit < 0 {
				return usageError{fmt.Errorf("--version is at least -1 and --limit at least 0")}
			}
			snap, err := table.At(cmd.Context(), version)
			if err != nil {
				return err
			}
			if snap.Version < 0 {
				return fmt.Errorf("%s is not a Delta table: it has no _delta_log", args[0])
			}
			left := limit
			err = table.Scan(cmd.Context(), snap, func(b *columnar.Batch) error {
				for i := range b.Rows() {
					if limit > 0 && left == 0 {
						return errEnough
					}
					left--
					if err := print.row(b, i); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil && !errors.Is(err, errEnough) {
				return err
			}
			return errors.Join(print.end(), out.Flush())
		},
	}
	cmd.Flags().StringVar(&format, "format", "json", "json, csv or table")
	cmd.Flags().StringVar(&file, "settings", "", "pipeline file whose s3 section says how to reach the table")
	cmd.Flags().Int64Var(&limit, "limit", 0, "print at most so many rows; 0: all")
	cmd.Flags().Int64Var(&version, "version", -1, "the table as of this version; -1: the newest")
	return cmd
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
