package leaves

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Spread fills dst, a variable whose type is that of src with an array for each
// float, in the shape of src. next returns the content of the next array.
func Spread(dst, src reflect.Value, next func() []float64) error {
	switch src.Kind() {
	case reflect.Float32, reflect.Float64:
		xs := next()
		if dst.Kind() != reflect.Array || dst.Len() != len(xs) {
			return fmt.Errorf("%s is no type for %d lanes of %s", dst.Type(), len(xs), src.Type())
		}
		for i, x := range xs {
			dst.Index(i).SetFloat(x)
		}
	case reflect.Complex64, reflect.Complex128:
		re, im := next(), next()
		if dst.Kind() != reflect.Array || dst.Len() != len(re) {
			return fmt.Errorf("%s is no type for %d lanes of %s", dst.Type(), len(re), src.Type())
		}
		for i := range re {
			dst.Index(i).SetComplex(complex(re[i], im[i]))
		}
	case reflect.Slice:
		if src.IsNil() {
			return nil
		}
		full := src.Slice3(0, src.Cap(), src.Cap())
		dst.Set(reflect.MakeSlice(dst.Type(), src.Cap(), src.Cap()))
		for i := range src.Len() {
			if err := Spread(dst.Index(i), full.Index(i), next); err != nil {
				return err
			}
		}
		dst.SetLen(src.Len())
	case reflect.Array:
		for i := range src.Len() {
			if err := Spread(dst.Index(i), src.Index(i), next); err != nil {
				return err
			}
		}
	case reflect.Pointer:
		if src.IsNil() {
			return nil
		}
		dst.Set(reflect.New(dst.Type().Elem()))
		return Spread(dst.Elem(), src.Elem(), next)
	case reflect.Map:
		if src.IsNil() {
			return nil
		}
		dst.Set(reflect.MakeMap(dst.Type()))
		for _, k := range sortedKeys(src) {
			x := reflect.New(dst.Type().Elem()).Elem()
			if err := Spread(x, src.MapIndex(k), next); err != nil {
				return err
			}
			dst.SetMapIndex(k, x)
		}
	case reflect.Struct:
		src = Settable(Variable(src))
		for i := range src.NumField() {
			if err := Spread(Settable(dst.Field(i)), Settable(src.Field(i)), next); err != nil {
				return err
			}
		}
	default:
		if src.Type() != dst.Type() {
			return fmt.Errorf("lanes for %s are not supported here", src.Type())
		}
		dst.Set(src)
	}
	return nil
}

// LaneType returns t with an array of n in place of each float, and whether
// there is such a type: structs that refer to themselves have none.
func LaneType(t reflect.Type, n int) (reflect.Type, bool) { return laneType(t, n, nil) }

func laneType(t reflect.Type, n int, inside []reflect.Type) (reflect.Type, bool) {
	if !HasFloats(t) {
		return t, true
	}
	switch t.Kind() {
	case reflect.Struct:
		if slices.Contains(inside, t) {
			return t, false
		}
		inside = append(slices.Clone(inside), t)
		var fields []reflect.StructField
		for i := range t.NumField() {
			f, ok := laneType(t.Field(i).Type, n, inside)
			if !ok {
				return t, false
			}
			fields = append(fields, reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: f})
		}
		return reflect.StructOf(fields), true
	case reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return reflect.ArrayOf(n, t), true
	case reflect.Slice, reflect.Array, reflect.Pointer, reflect.Map:
		e, ok := laneType(t.Elem(), n, inside)
		if !ok {
			return t, false
		}
		switch t.Kind() {
		case reflect.Slice:
			return reflect.SliceOf(e), true
		case reflect.Array:
			return reflect.ArrayOf(t.Len(), e), true
		case reflect.Pointer:
			return reflect.PointerTo(e), true
		}
		return reflect.MapOf(t.Key(), e), true
	}
	return t, false
}

// HasFloats reports whether values of type t can have leaves. What an interface
// may hold does not count.
func HasFloats(t reflect.Type) bool { return hasFloats(t, map[reflect.Type]bool{}) }

func hasFloats(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return true
	case reflect.Slice, reflect.Array, reflect.Pointer, reflect.Map:
		return hasFloats(t.Elem(), seen)
	case reflect.Struct:
		for f := range t.Fields() {
			if hasFloats(f.Type, seen) {
				return true
			}
		}
	}
	return false
}

// LaneOrder returns the places of the leaves of a value with lanes, ordered by the
// leaves of the value without lanes and then by lanes. A complex leaf is two, and
// its parts alternate in the array that holds its lanes. names are those of the
// leaves.
func LaneOrder(names []string, lanes int) []int {
	order := make([]int, len(names))
	for at := 0; at < len(names); {
		if strings.HasPrefix(names[at], "Re ") && at+2*lanes <= len(names) {
			for k := range lanes {
				order[at+k] = at + 2*k
				order[at+lanes+k] = at + 2*k + 1
			}
			at += 2 * lanes
			continue
		}
		order[at] = at
		at++
	}
	return order
}
