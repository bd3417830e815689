package compute

import "github.com/lakewheel/lakewheel/columnar"

// once evaluates value a single time for a body that reads it in several places.
type once struct {
	value, body Expr
	place       *held
}

// held is the place in a body where the value of a once goes.
type held struct{ of Expr }

func (h *held) Type() columnar.Type              { return h.of.Type() }
func (h *held) Nullable() bool                   { return h.of.Nullable() }
func (h *held) String() string                   { return h.of.String() }
func (h *held) inputs() []Expr                   { return nil }
func (h *held) with([]Expr) Expr                 { return h }
func (h *held) eval(*Evaluator, []int32) *vector { panic("compute: a value is read outside its Once") }

// given is a value that is already computed.
type given struct {
	*held
	value *vector
}

func (g *given) with([]Expr) Expr                 { return g }
func (g *given) eval(*Evaluator, []int32) *vector { return g.value }

// Once binds an expression that reads value in several places and evaluates it once a
// row. bind gets what stands for the value. A constant or a column is read in place.
func Once(value Expr, bind func(value Expr) (Expr, error)) (Expr, error) {
	if _, ok := value.(*column); ok || Literal(value) {
		return bind(value)
	}
	place := &held{value}
	body, err := bind(place)
	if err != nil {
		return nil, err
	}
	return &once{value, body, place}, nil
}

func (o *once) Type() columnar.Type { return o.body.Type() }
func (o *once) Nullable() bool      { return o.body.Nullable() }
func (o *once) String() string      { return o.body.String() }
func (o *once) inputs() []Expr      { return []Expr{o.value, o.body} }

// with puts a value that became a constant into the body, which may then be one too.
func (o *once) with(in []Expr) Expr {
	if Literal(in[0]) {
		return Fold(put(in[1], o.place, in[0]))
	}
	return &once{in[0], in[1], o.place}
}

func (o *once) eval(ev *Evaluator, rows []int32) *vector {
	value := &given{o.place, o.value.eval(ev, rows)}
	return put(o.body, o.place, value).eval(ev, rows)
}

// put replaces the place in body by e.
func put(body Expr, place *held, e Expr) Expr {
	return rewrite(body, func(x Expr) Expr {
		if x == Expr(place) {
			return e
		}
		return x
	})
}
