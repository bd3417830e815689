package compute

import "github.com/lakewheel/lakewheel/columnar"

const maxDigits = columnar.MaxDecimalPrecision

// adjusted fits a precision and scale into 38 digits: integral digits come first,
// but up to six fractional ones are kept.
func adjusted(precision, scale int) columnar.Type {
	if precision <= maxDigits {
		return columnar.Decimal(precision, scale)
	}
	whole := precision - scale
	return columnar.Decimal(maxDigits, max(maxDigits-whole, min(scale, 6)))
}

func widerDecimal(a, b columnar.Type) columnar.Type {
	scale := max(int(a.Scale), int(b.Scale))
	whole := max(int(a.Precision-a.Scale), int(b.Precision-b.Scale))
	if whole+scale <= maxDigits {
		return columnar.Decimal(whole+scale, scale)
	}
	return columnar.Decimal(maxDigits, max(0, scale-(whole+scale-maxDigits)))
}

// decimalResult is the type of an arithmetic operator over two decimals.
func decimalResult(op string, a, b columnar.Type) columnar.Type {
	p1, s1, p2, s2 := int(a.Precision), int(a.Scale), int(b.Precision), int(b.Scale)
	switch op {
	case "+", "-":
		scale := max(s1, s2)
		return adjusted(max(p1-s1, p2-s2)+scale+1, scale)
	case "*":
		return adjusted(p1+p2+1, s1+s2)
	case "/":
		scale := max(6, s1+p2+1)
		return adjusted(p1-s1+s2+scale, scale)
	}
	scale := max(s1, s2)
	return adjusted(max(min(p1-s1, p2-s2)+scale, 1), scale)
}
