package config

import (
	"errors"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/planner"
)

// DeleteColumn is the BOOLEAN column that sink.merge.delete_when adds to the rows. The table does not have it.
const DeleteColumn = "_lakewheel_delete"

// Merge is sink.merge: rows replace those with the same key.
type Merge struct {
	Keys       []string
	DeleteWhen string   // a condition over the columns of the query; "": no row deletes
	Drop       []string // columns that the table does not have
}

// mergeAt is where the parts of sink.merge stand; nil: they are not there.
type mergeAt struct{ merge, keys, deleteWhen, drop ast.Node }

func (f *fileReader) merge(n ast.Node) {
	f.mergeAt.merge, f.p.Sink.Merge = n, &Merge{}
	m := f.p.Sink.Merge
	f.fields(n, "sink.merge", map[string]func(ast.Node){
		"keys": func(n ast.Node) {
			f.mergeAt.keys = n
			f.strings(&m.Keys, "sink.merge.keys")(n)
		},
		"delete_when": func(n ast.Node) {
			f.mergeAt.deleteWhen = n
			f.string(&m.DeleteWhen, "sink.merge.delete_when")(n)
		},
		"drop": func(n ast.Node) {
			f.mergeAt.drop = n
			f.strings(&m.Drop, "sink.merge.drop")(n)
		},
	})
	if len(m.Keys) == 0 && !f.faultWithin("sink.merge.keys") {
		f.fault(n, "sink.merge: keys is missing; it names the columns that tell rows apart, e.g. keys: [id]")
	}
}

// planMerge finds out by what rows replace others: in update mode by the keys of the groups, with sink.merge by its own.
func (f *fileReader) planMerge(query string) {
	switch m := f.p.Sink.Merge; {
	case m == nil && f.p.Mode == planner.Update && !f.p.Sink.Console && !f.p.Sink.Plain:
		keys, err := f.p.Planned.Keys(query)
		if err != nil {
			f.queryFaults(err)
			return
		}
		f.p.Keys = keys
		f.checkPartitionKeys(keys)
	case m == nil:
	case f.p.Sink.Plain:
		f.fault(f.mergeAt.merge, "sink.merge: plain Parquet files are only added, so their rows cannot be replaced; merge into delta")
	case f.p.Sink.Console:
		f.fault(f.mergeAt.merge, "sink.merge: rows that are printed cannot be replaced; merge into delta")
	case f.p.Mode == planner.Update:
		f.fault(f.mergeAt.merge, "sink.merge: in update mode rows are replaced by the keys of their groups; leave it out, or use output_mode: append")
	case f.p.Mode == planner.Complete:
		f.fault(f.mergeAt.merge, "sink.merge: in complete mode the result takes the place of the whole table; leave it out, or use output_mode: append")
	default:
		f.checkMerge(m, f.p.Planned.Physical.Schema())
	}
}

// checkPartitionKeys refuses groups whose key is a partition column and can be the empty text: there a table cannot tell it from NULL, so two groups would
// take turns in one row.
func (f *fileReader) checkPartitionKeys(keys *planner.Keys) {
	if keys == nil {
		return
	}
	for i, at := range keys.Columns {
		name := f.p.Planned.Physical.Schema().Fields[at].Name
		if slices.ContainsFunc(f.p.Sink.PartitionBy, func(by string) bool { return strings.EqualFold(by, name) }) && !planner.NeverEmpty(keys.Groups[i]) {
			f.fault(f.query, "sink.delta.partition_by: %s is a key of the groups, and where a table is partitioned by it the empty text and NULL are one; group by nullif(..., '') AS %s", name, name)
		}
	}
}

// checkMerge checks the columns of a merge, gives them the spelling of the result, and adds what the sink needs to the plan.
func (f *fileReader) checkMerge(m *Merge, out *columnar.Schema) {
	for i, name := range m.Keys {
		at := out.Index(name)
		switch {
		case at < 0:
			f.fault(f.mergeAt.keys, "sink.merge.keys: the query has no column %s", name)
		case out.Fields[at].Type.Nested():
			f.fault(f.mergeAt.keys, "sink.merge.keys: %s is %s, which cannot be a key; take a part of it", name, out.Fields[at].Type)
		case slices.Contains(m.Keys[:i], out.Fields[at].Name):
			f.fault(f.mergeAt.keys, "sink.merge.keys: %s is there twice", name)
		default:
			m.Keys[i] = out.Fields[at].Name
		}
	}
	for i, name := range m.Drop {
		switch at := out.Index(name); {
		case at < 0:
			f.fault(f.mergeAt.drop, "sink.merge.drop: the query has no column %s", name)
		case slices.Contains(m.Keys, out.Fields[at].Name):
			f.fault(f.mergeAt.drop, "sink.merge.drop: %s is a key; the table needs it to find the rows that are replaced", name)
		default:
			m.Drop[i] = out.Fields[at].Name
		}
	}
	if out.Index(DeleteColumn) >= 0 {
		f.fault(f.query, "query: a column of a merge cannot be named %s", DeleteColumn)
	}
	f.p.Planned.Physical = mergeProject(f.p.Planned.Physical, m.Drop, f.deleteCondition(m, out))
}

// deleteCondition binds delete_when, nil if it is not there or has a fault.
func (f *fileReader) deleteCondition(m *Merge, out *columnar.Schema) compute.Expr {
	if strings.TrimSpace(m.DeleteWhen) == "" {
		return nil
	}
	e, err := planner.Expression(m.DeleteWhen, out)
	var many planner.Errors
	switch {
	case errors.As(err, &many):
		for _, one := range many {
			line, column := f.place(f.mergeAt.deleteWhen, one.Offset)
			f.faultAt(line, column, "sink.merge.delete_when: %s", sentence(one))
		}
	case err != nil:
		f.fault(f.mergeAt.deleteWhen, "sink.merge.delete_when: %v", err)
	case e.Type() != columnar.Boolean:
		f.fault(f.mergeAt.deleteWhen, "sink.merge.delete_when: %s is %s, and a condition is BOOLEAN", m.DeleteWhen, e.Type())
	default:
		return compute.Fold(e)
	}
	return nil
}

// mergeProject puts a projection on a plan that leaves columns out and adds the condition, if there is one: a row for which it fails is a bad one, as
// for any expression of the query.
func mergeProject(plan planner.PhysicalNode, drop []string, deletes compute.Expr) planner.PhysicalNode {
	if len(drop) == 0 && deletes == nil {
		return plan
	}
	p := &planner.ProjectExec{In: plan, Out: &columnar.Schema{}}
	for i, field := range plan.Schema().Fields {
		if !slices.Contains(drop, field.Name) {
			p.Exprs = append(p.Exprs, compute.Column(i, field.Name, field.Type, field.Nullable))
			p.Out.Fields = append(p.Out.Fields, field)
		}
	}
	if deletes != nil {
		p.Exprs = append(p.Exprs, deletes)
		p.Out.Fields = append(p.Out.Fields, columnar.Field{Name: DeleteColumn, Type: columnar.Boolean, Nullable: true})
	}
	return p
}

// TableSchema is the schema of what the table gets.
func (p *Pipeline) TableSchema() *columnar.Schema {
	all := p.Planned.Physical.Schema()
	if !p.Deletes() {
		return all
	}
	return columnar.NewSchema(all.Fields[:all.Len()-1]...)
}

// Deletes reports whether the rows have DeleteColumn.
func (p *Pipeline) Deletes() bool {
	all := p.Planned.Physical.Schema().Fields
	return p.Sink.Merge != nil && len(all) > 0 && all[len(all)-1].Name == DeleteColumn
}

// KeyColumns are the columns by which rows replace others; false if they are only added.
func (p *Pipeline) KeyColumns() ([]string, bool) {
	switch {
	case p.Sink.Merge != nil:
		return p.Sink.Merge.Keys, true
	case p.Keys == nil:
		return nil, false
	}
	names := []string{}
	for _, at := range p.Keys.Columns {
		names = append(names, p.Planned.Physical.Schema().Fields[at].Name)
	}
	return names, true
}
