package rt

import "cmp"

// Max is the built-in max, for packages that declare a max of their own.
func Max[T cmp.Ordered](x T, y ...T) T {
	for _, v := range y {
		x = max(x, v)
	}
	return x
}

// Min is the built-in min, for packages that declare a min of their own.
func Min[T cmp.Ordered](x T, y ...T) T {
	for _, v := range y {
		x = min(x, v)
	}
	return x
}

// Clear is the built-in clear of a slice, for packages that declare a clear of
// their own.
func Clear[T any](s []T) { clear(s) }
