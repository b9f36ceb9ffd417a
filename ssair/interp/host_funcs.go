package interp

import (
	"errors"
	"math"
	"math/bits"
	"math/cmplx"
	"math/rand"
	randv2 "math/rand/v2"
	"os"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// hostFuncs are functions of the standard library that the machine calls as
// they are, by their full names.
var hostFuncs = func() map[string]reflect.Value {
	m := map[string]reflect.Value{}
	for name, f := range faults {
		m["github.com/quabla/quabla/rt."+name] = reflect.ValueOf(f)
	}
	for name, f := range map[string]any{
		"errors.Is":     errors.Is,
		"errors.Join":   errors.Join,
		"errors.New":    errors.New,
		"errors.Unwrap": errors.Unwrap,

		"math.Abs": math.Abs, "math.Acos": math.Acos, "math.Acosh": math.Acosh, "math.Asin": math.Asin,
		"math.Asinh": math.Asinh, "math.Atan": math.Atan, "math.Atan2": math.Atan2, "math.Atanh": math.Atanh,
		"math.Cbrt": math.Cbrt, "math.Ceil": math.Ceil, "math.Copysign": math.Copysign, "math.Cos": math.Cos,
		"math.Cosh": math.Cosh, "math.Dim": math.Dim, "math.Erf": math.Erf, "math.Erfc": math.Erfc,
		"math.Erfcinv": math.Erfcinv, "math.Erfinv": math.Erfinv, "math.Exp": math.Exp, "math.Exp2": math.Exp2,
		"math.Expm1": math.Expm1, "math.FMA": math.FMA, "math.Float32bits": math.Float32bits,
		"math.Float32frombits": math.Float32frombits, "math.Float64bits": math.Float64bits,
		"math.Float64frombits": math.Float64frombits, "math.Floor": math.Floor, "math.Frexp": math.Frexp,
		"math.Gamma": math.Gamma, "math.Hypot": math.Hypot, "math.Ilogb": math.Ilogb, "math.Inf": math.Inf,
		"math.IsInf": math.IsInf, "math.IsNaN": math.IsNaN, "math.J0": math.J0, "math.J1": math.J1, "math.Jn": math.Jn,
		"math.Ldexp": math.Ldexp, "math.Lgamma": math.Lgamma, "math.Log": math.Log, "math.Log10": math.Log10,
		"math.Log1p": math.Log1p, "math.Log2": math.Log2, "math.Logb": math.Logb, "math.Max": math.Max,
		"math.Min": math.Min, "math.Mod": math.Mod, "math.Modf": math.Modf, "math.NaN": math.NaN,
		"math.Nextafter": math.Nextafter, "math.Nextafter32": math.Nextafter32, "math.Pow": math.Pow,
		"math.Pow10": math.Pow10, "math.Remainder": math.Remainder, "math.Round": math.Round,
		"math.RoundToEven": math.RoundToEven, "math.Signbit": math.Signbit, "math.Sin": math.Sin,
		"math.Sincos": math.Sincos, "math.Sinh": math.Sinh, "math.Sqrt": math.Sqrt, "math.Tan": math.Tan,
		"math.Tanh": math.Tanh, "math.Trunc": math.Trunc, "math.Y0": math.Y0, "math.Y1": math.Y1, "math.Yn": math.Yn,

		"math/bits.Len": bits.Len, "math/bits.Len64": bits.Len64, "math/bits.OnesCount": bits.OnesCount,
		"math/bits.OnesCount64": bits.OnesCount64, "math/bits.Reverse": bits.Reverse, "math/bits.LeadingZeros": bits.LeadingZeros,
		"math/bits.LeadingZeros64": bits.LeadingZeros64, "math/bits.TrailingZeros": bits.TrailingZeros,
		"math/bits.TrailingZeros64": bits.TrailingZeros64, "math/bits.RotateLeft": bits.RotateLeft,
		"math/bits.RotateLeft32": bits.RotateLeft32, "math/bits.RotateLeft64": bits.RotateLeft64,

		"math/cmplx.Abs": cmplx.Abs, "math/cmplx.Acos": cmplx.Acos, "math/cmplx.Acosh": cmplx.Acosh,
		"math/cmplx.Asin": cmplx.Asin, "math/cmplx.Asinh": cmplx.Asinh, "math/cmplx.Atan": cmplx.Atan,
		"math/cmplx.Atanh": cmplx.Atanh, "math/cmplx.Conj": cmplx.Conj, "math/cmplx.Cos": cmplx.Cos,
		"math/cmplx.Cosh": cmplx.Cosh, "math/cmplx.Cot": cmplx.Cot, "math/cmplx.Exp": cmplx.Exp, "math/cmplx.Inf": cmplx.Inf,
		"math/cmplx.IsInf": cmplx.IsInf, "math/cmplx.IsNaN": cmplx.IsNaN, "math/cmplx.Log": cmplx.Log,
		"math/cmplx.Log10": cmplx.Log10, "math/cmplx.NaN": cmplx.NaN, "math/cmplx.Phase": cmplx.Phase,
		"math/cmplx.Polar": cmplx.Polar, "math/cmplx.Pow": cmplx.Pow, "math/cmplx.Rect": cmplx.Rect,
		"math/cmplx.Sin": cmplx.Sin, "math/cmplx.Sinh": cmplx.Sinh, "math/cmplx.Sqrt": cmplx.Sqrt,
		"math/cmplx.Tan": cmplx.Tan, "math/cmplx.Tanh": cmplx.Tanh,

		"math/rand.ExpFloat64": rand.ExpFloat64, "math/rand.Float32": rand.Float32, "math/rand.Float64": rand.Float64,
		"math/rand.Int": rand.Int, "math/rand.Int63": rand.Int63, "math/rand.Intn": rand.Intn,
		"math/rand.New": rand.New, "math/rand.NewSource": rand.NewSource, "math/rand.NormFloat64": rand.NormFloat64,
		"math/rand.Perm":           rand.Perm,
		"math/rand/v2.ExpFloat64":  randv2.ExpFloat64,
		"math/rand/v2.Float32":     randv2.Float32,
		"math/rand/v2.Float64":     randv2.Float64,
		"math/rand/v2.Int":         randv2.Int,
		"math/rand/v2.IntN":        randv2.IntN,
		"math/rand/v2.New":         randv2.New,
		"math/rand/v2.NewChaCha8":  randv2.NewChaCha8,
		"math/rand/v2.NewPCG":      randv2.NewPCG,
		"math/rand/v2.NormFloat64": randv2.NormFloat64,
		"math/rand/v2.Perm":        randv2.Perm,

		"os.Getenv": os.Getenv,

		"sort.Float64s": sort.Float64s, "sort.Float64sAreSorted": sort.Float64sAreSorted, "sort.Ints": sort.Ints,
		"sort.IntsAreSorted": sort.IntsAreSorted, "sort.Search": sort.Search, "sort.SearchFloat64s": sort.SearchFloat64s,
		"sort.SearchInts": sort.SearchInts, "sort.SearchStrings": sort.SearchStrings, "sort.Strings": sort.Strings,

		"strconv.AppendFloat": strconv.AppendFloat, "strconv.AppendInt": strconv.AppendInt, "strconv.Atoi": strconv.Atoi,
		"strconv.FormatBool": strconv.FormatBool, "strconv.FormatFloat": strconv.FormatFloat, "strconv.FormatInt": strconv.FormatInt,
		"strconv.FormatUint": strconv.FormatUint, "strconv.Itoa": strconv.Itoa, "strconv.ParseBool": strconv.ParseBool,
		"strconv.ParseFloat": strconv.ParseFloat, "strconv.ParseInt": strconv.ParseInt, "strconv.ParseUint": strconv.ParseUint,
		"strconv.Quote": strconv.Quote, "strconv.Unquote": strconv.Unquote,

		"strings.Clone": strings.Clone, "strings.Compare": strings.Compare, "strings.Contains": strings.Contains,
		"strings.ContainsAny": strings.ContainsAny, "strings.ContainsRune": strings.ContainsRune, "strings.Count": strings.Count,
		"strings.Cut": strings.Cut, "strings.CutPrefix": strings.CutPrefix, "strings.CutSuffix": strings.CutSuffix,
		"strings.EqualFold": strings.EqualFold, "strings.Fields": strings.Fields, "strings.FieldsFunc": strings.FieldsFunc,
		"strings.HasPrefix": strings.HasPrefix, "strings.HasSuffix": strings.HasSuffix, "strings.Index": strings.Index,
		"strings.IndexAny": strings.IndexAny, "strings.IndexByte": strings.IndexByte, "strings.IndexFunc": strings.IndexFunc,
		"strings.IndexRune": strings.IndexRune, "strings.Join": strings.Join, "strings.LastIndex": strings.LastIndex,
		"strings.LastIndexByte": strings.LastIndexByte, "strings.Map": strings.Map, "strings.NewReader": strings.NewReader,
		"strings.NewReplacer": strings.NewReplacer, "strings.Repeat": strings.Repeat, "strings.Replace": strings.Replace,
		"strings.ReplaceAll": strings.ReplaceAll, "strings.Split": strings.Split, "strings.SplitAfter": strings.SplitAfter,
		"strings.SplitN": strings.SplitN, "strings.ToLower": strings.ToLower, "strings.ToUpper": strings.ToUpper,
		"strings.Trim": strings.Trim, "strings.TrimFunc": strings.TrimFunc, "strings.TrimLeft": strings.TrimLeft,
		"strings.TrimPrefix": strings.TrimPrefix, "strings.TrimRight": strings.TrimRight, "strings.TrimSpace": strings.TrimSpace,
		"strings.TrimSuffix": strings.TrimSuffix,

		"time.Date": time.Date, "time.Now": time.Now, "time.ParseDuration": time.ParseDuration, "time.Since": time.Since,
		"time.Unix": time.Unix, "time.Until": time.Until,

		"unicode.IsDigit": unicode.IsDigit, "unicode.IsLetter": unicode.IsLetter, "unicode.IsLower": unicode.IsLower,
		"unicode.IsPunct": unicode.IsPunct, "unicode.IsSpace": unicode.IsSpace, "unicode.IsUpper": unicode.IsUpper,
		"unicode.ToLower": unicode.ToLower, "unicode.ToUpper": unicode.ToUpper,

		"unicode/utf8.DecodeRuneInString": utf8.DecodeRuneInString, "unicode/utf8.RuneCountInString": utf8.RuneCountInString,
		"unicode/utf8.RuneLen": utf8.RuneLen, "unicode/utf8.ValidString": utf8.ValidString,
	} {
		m[name] = reflect.ValueOf(f)
	}
	return m
}()
