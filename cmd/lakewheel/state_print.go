package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// printState prints state for people.
func printState(w io.Writer, s *storedState) error {
	fmt.Fprintf(w, "pipeline   %s\ntable      %s, version %d\n", s.Pipeline, s.Table, s.Version)
	if !s.Committed {
		fmt.Fprintln(w, "commits    none yet")
		return nil
	}
	fmt.Fprintf(w, "batch      %d\n", s.Batch)
	if len(s.Watermarks) > 0 {
		fmt.Fprintf(w, "watermark  %s; the batch ran with %s\n", microsText(s.Watermark.Next*1000), microsText(s.Watermark.RanWith*1000))
	}
	for _, place := range slices.Sorted(maps.Keys(s.Watermarks)) {
		fmt.Fprintf(w, "           %s: %s\n", place, microsText(s.Watermarks[place]*1000))
	}
	if len(s.Operators) == 0 {
		fmt.Fprintln(w, "state      none")
		return nil
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "op\tkind\trows\tfiles\tbytes\tfrom\tuntil\ttime")
	for _, o := range s.Operators {
		number, kind, _ := strings.Cut(o.Name, ":")
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%s\t%s\t%s\n", number, kind, o.Rows, o.Files, o.Bytes, o.Oldest, o.Newest, o.Times)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, o := range s.Operators {
		fmt.Fprintf(w, "\n%s\n", o.TypedText())
		for _, c := range o.Calls {
			fmt.Fprintf(w, "  %s %s\n", c.SQL, c.Type)
		}
	}
	return nil
}
