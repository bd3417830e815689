package compute

var conditionalFunctions = []function{
	{FunctionInfo{"coalesce", "coalesce(expr1, expr2, ...)", "The first argument that is not NULL.", "coalesce(NULL, 1) = 1"}, 1, -1, bindCoalesce},
	{FunctionInfo{"ifnull", "ifnull(expr1, expr2)", "expr1, or expr2 where it is NULL.", "ifnull(NULL, 1) = 1"}, 2, 2, bindCoalesce},
	{FunctionInfo{"nvl", "nvl(expr1, expr2)", "expr1, or expr2 where it is NULL.", "nvl(NULL, 1) = 1"}, 2, 2, bindCoalesce},
	{FunctionInfo{"nullif", "nullif(expr1, expr2)", "NULL where both are equal, else expr1.", "nullif(2, 2) IS NULL"}, 2, 2, bindNullIf},
	{FunctionInfo{"if", "if(cond, then, else)", "then where cond is true, else else.", "if(1 < 2, 'a', 'b') = 'a'"}, 3, 3, bindIf},
	{FunctionInfo{"isnull", "isnull(expr)", "Whether expr is NULL.", "isnull(1) = false"}, 1, 1, bindIsNull(true)},
	{FunctionInfo{"isnotnull", "isnotnull(expr)", "Whether expr is not NULL.", "isnotnull(1) = true"}, 1, 1, bindIsNull(false)},
}

func bindIf(args []Expr) (Expr, error) {
	return Case([]When{{Cond: args[0], Then: args[1]}}, args[2])
}

func bindNullIf(args []Expr) (Expr, error) {
	equal, err := Call("=", args[0], args[1])
	if err != nil {
		return nil, err
	}
	return Case([]When{{Cond: equal, Then: typedNull(args[0].Type())}}, args[0])
}
