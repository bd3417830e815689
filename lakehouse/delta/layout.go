package delta

import (
	"maps"
	"slices"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
)

// The layout is kept as properties, so that whoever compacts the table keeps it: names of columns, in backticks where they have commas, spaces or backticks, and DESC
// behind one that goes down.
const (
	sortByProperty       = "lakewheel.sortBy"
	bloomFiltersProperty = "lakewheel.bloomFilters"
)

const descending = " DESC"

// layoutOf reads the layout of the properties. What is not there is nil.
func layoutOf(properties map[string]string) (out lakehouse.Layout) {
	if text, ok := properties[sortByProperty]; ok {
		out.SortBy = []lakehouse.SortColumn{}
		for _, part := range splitNames(text) {
			name, down := cutDescending(part)
			out.SortBy = append(out.SortBy, lakehouse.SortColumn{Column: plainName(name), Descending: down})
		}
	}
	if text, ok := properties[bloomFiltersProperty]; ok {
		out.BloomFilters = []string{}
		for _, part := range splitNames(text) {
			out.BloomFilters = append(out.BloomFilters, plainName(part))
		}
	}
	return out
}

// splitNames splits at commas outside of backticks.
func splitNames(text string) (out []string) {
	quoted, from := false, 0
	for i := range len(text) {
		switch {
		case text[i] == '`':
			quoted = !quoted
		case text[i] == ',' && !quoted:
			out, from = append(out, text[from:i]), i+1
		}
	}
	return slices.DeleteFunc(append(out, text[from:]), func(s string) bool { return strings.TrimSpace(s) == "" })
}

// cutDescending takes ASC or DESC off a name.
func cutDescending(part string) (name string, down bool) {
	part = strings.TrimSpace(part)
	upper := strings.ToUpper(part)
	if strings.HasSuffix(upper, descending) {
		return part[:len(part)-len(descending)], true
	}
	return part[:len(strings.TrimSuffix(upper, " ASC"))], false
}

// plainName takes the backticks off a name.
func plainName(part string) string {
	part = strings.TrimSpace(part)
	if len(part) < 2 || part[0] != '`' || part[len(part)-1] != '`' {
		return part
	}
	return strings.ReplaceAll(part[1:len(part)-1], "``", "`")
}

func quotedName(name string) string {
	if !strings.ContainsAny(name, "`, ") {
		return name
	}
	return "`" + strings.ReplaceAll(name, "`", "``") + "`"
}

// relaid is the metadata with the layout in its properties; m is nil if nothing else changes.
func relaid(m, base *metaData, l *lakehouse.Layout) *metaData {
	if l == nil {
		return m
	}
	if m == nil {
		m = base
	}
	out := *m
	out.Configuration = maps.Clone(nonNil(m.Configuration))
	setNames(out.Configuration, sortByProperty, len(l.SortBy), func(i int) string {
		if l.SortBy[i].Descending {
			return quotedName(l.SortBy[i].Column) + descending
		}
		return quotedName(l.SortBy[i].Column)
	})
	setNames(out.Configuration, bloomFiltersProperty, len(l.BloomFilters), func(i int) string { return quotedName(l.BloomFilters[i]) })
	return &out
}

// setNames sets a property to a list of names, or takes it away if there is none.
func setNames(properties map[string]string, key string, n int, name func(i int) string) {
	delete(properties, key)
	if n == 0 {
		return
	}
	parts := make([]string, n)
	for i := range parts {
		parts[i] = name(i)
	}
	properties[key] = strings.Join(parts, ", ")
}

// fittingLayout is what files of a schema can have of a layout. A table keeps its wish when a column is renamed or dropped, or not given
// by a query; rows are sorted as far as the columns are there.
func fittingLayout(l lakehouse.Layout, inFile *columnar.Schema) lakehouse.Layout {
	lacks := func(c lakehouse.SortColumn) bool {
		at := inFile.Index(c.Column)
		return at < 0 || inFile.Fields[at].Type.Nested()
	}
	if at := slices.IndexFunc(l.SortBy, lacks); at >= 0 {
		l.SortBy = l.SortBy[:at]
	}
	l.BloomFilters = slices.DeleteFunc(slices.Clone(l.BloomFilters), func(name string) bool { return !parquetfile.CanFilter(inFile, name) })
	return l
}
