// Package maps holds rules for functions of the standard library's package maps that
// are part of the runtime. The others are differentiated from their source.
package maps

//quabla:rule for=maps.Clone as=clone
func clone[M ~map[K]V, K comparable, V any](m M) M {
	if m == nil {
		return nil
	}
	r := make(M, len(m))
	for k, v := range m {
		r[k] = v
	}
	return r
}
