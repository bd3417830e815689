package config

import (
	"github.com/goccy/go-yaml/ast"

	"github.com/lakewheel/lakewheel/planner"
)

// restartSettings are those that compat: spark changes where the file does not give them.
type restartSettings struct {
	spark           bool
	survivesRestart *bool
	noDataAtRestart *bool
}

// modeKeys are the keys of output modes, watermarks, late rows and state that belong to the whole pipeline.
func (f *fileReader) modeKeys() map[string]func(ast.Node) {
	return map[string]func(ast.Node){
		"output_mode": func(n ast.Node) {
			f.modeAt = n
			choice(f.reader, &f.p.Mode, "output_mode", map[string]planner.OutputMode{"append": planner.Append, "update": planner.Update, "complete": planner.Complete})(n)
		},
		"watermark_policy": choice(f.reader, &f.p.WatermarkMax, "watermark_policy", map[string]bool{"min": false, "max": true}),
		"watermark": func(n ast.Node) {
			f.fields(n, "watermark", map[string]func(ast.Node){"survives_restart": f.optional(&f.restart.survivesRestart, "watermark.survives_restart")})
		},
		"no_data_batches":    f.bool(&f.p.NoDataBatches, "no_data_batches"),
		"no_data_at_restart": f.optional(&f.restart.noDataAtRestart, "no_data_at_restart"),
		"compat":             choice(f.reader, &f.restart.spark, "compat", map[string]bool{"spark": true}),
		"late_rows": func(n ast.Node) {
			f.lateAt = n
			choice(f.reader, &f.p.LateRows, "late_rows", map[string]LateRows{"count": CountLate, "table": TableLate, "update": UpdateLate})(n)
		},
		"allowed_lateness": func(n ast.Node) {
			f.latenessAt = n
			f.positive(&f.p.AllowedLateness, "allowed_lateness")(n)
		},
		"state": func(n ast.Node) {
			f.fields(n, "state", map[string]func(ast.Node){
				"max_rows":  f.whole(&f.p.State.MaxRows, "state.max_rows", 1),
				"max_bytes": f.size(&f.p.State.MaxBytes, "state.max_bytes", 1<<20),
			})
		},
	}
}

// optional is a bool that the file may leave open.
func (f *fileReader) optional(to **bool, what string) func(ast.Node) {
	return func(n ast.Node) {
		*to = new(bool)
		f.bool(*to, what)(n)
	}
}

// checkModes checks what the settings of modes and late rows ask of each other and of the sink.
func (f *fileReader) checkModes() {
	f.p.SurvivesRestart = otherwise(f.restart.survivesRestart, !f.restart.spark)
	f.p.NoDataAtRestart = otherwise(f.restart.noDataAtRestart, !f.restart.spark)
	switch late := f.p.LateRows; {
	case late == TableLate && f.p.Sink.Console:
		f.fault(f.lateAt, "late_rows: a side table lies beside a table, and a console sink has none; use count")
	case late == UpdateLate && f.p.Mode != planner.Update:
		f.fault(f.lateAt, "late_rows: update corrects windows that were emitted, which needs output_mode: update")
	case late == UpdateLate && f.latenessAt == nil:
		f.fault(f.lateAt, "late_rows: update needs a bound, e.g. allowed_lateness: 1 minute")
	case late != UpdateLate && f.latenessAt != nil:
		f.fault(f.latenessAt, "allowed_lateness: it bounds late_rows: update, and says nothing without it")
	}
}

func otherwise(given *bool, fallback bool) bool {
	if given == nil {
		return fallback
	}
	return *given
}
