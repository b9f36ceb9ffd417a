package rt

import (
	"cmp"
	"reflect"
	"slices"
	"unsafe"
)

// ZeroLike returns a shadow of x: new memory of the shape of what can be reached
// from x, in which all floats are zero. What shares memory in x shares it in the
// shadow, so that x may be a tree, a list or a ring. Slices have the capacity of
// those of x. What leads to no floats is zero, and functions are nil. For an
// interface that holds a T that is no reference, the shadow holds a *T.
//
// S is T, or T with an array of lanes in place of each float.
func ZeroLike[S, T any](x T) S { return zeroLike[S](x, false) }

func zeroLike[S, T any](x T, rest bool) (s S) {
	z := zeroer{rest: rest, apart: rest && !irregular(reflect.TypeFor[T](), nil), maps: map[unsafe.Pointer]reflect.Value{}}
	src, dst := layoutOf(reflect.TypeFor[T]()), layoutOf(reflect.TypeFor[S]())
	z.find(unsafe.Pointer(&x), src, dst)
	z.allocate()
	z.fill(unsafe.Pointer(&x), unsafe.Pointer(&s), src, dst)
	for i := range z.blocks {
		b := &z.blocks[i]
		for k := range b.n {
			z.fill(unsafe.Add(b.at, uintptr(k)*b.src.typ.Size()), unsafe.Add(b.shadow, uintptr(k)*b.dst.typ.Size()), b.src, b.dst)
		}
	}
	return s
}

// A block is memory of x: n values side by side, and their shadows.
type block struct {
	at       unsafe.Pointer
	n        int
	src, dst *layout
	shadow   unsafe.Pointer
}

func (b *block) lo() uintptr { return uintptr(b.at) }
func (b *block) hi() uintptr { return uintptr(b.at) + uintptr(b.n)*b.src.typ.Size() }

// A zeroer makes one shadow.
type zeroer struct {
	rest   bool // the shadow has what is no float from x
	apart  bool // slices share nothing
	of     visited
	blocks []block // in the end in the order of their addresses, and apart
	maps   map[unsafe.Pointer]reflect.Value
}

// find collects the memory that the value at p refers to.
func (z *zeroer) find(p unsafe.Pointer, src, dst *layout) {
	for i, r := range src.refs {
		q, to := unsafe.Add(p, r.at), dst.refs[i].elem
		switch r.typ.Kind() {
		case reflect.Pointer:
			z.block(pointer(q), 1, r.elem, to)
		case reflect.Slice:
			if s := slice(q); !z.apart {
				z.block(s.data, s.cap, r.elem, to)
			} else {
				for i := range s.cap {
					z.find(unsafe.Add(s.data, uintptr(i)*r.elem.typ.Size()), r.elem, to)
				}
			}
		case reflect.Map:
			m := at(r.typ, q)
			if m.IsNil() || !z.of.first(visit{m.UnsafePointer(), r.elem, 0}) {
				continue
			}
			for it := m.MapRange(); it.Next(); {
				z.find(variable(it.Value()), r.elem, to)
			}
		case reflect.Interface:
			if v, _, ok := held(r.typ, q); ok {
				l := layoutOf(v.Type())
				z.find(v.Addr().UnsafePointer(), l, l)
			}
		}
	}
}

func (z *zeroer) block(p unsafe.Pointer, n int, src, dst *layout) {
	if p == nil || n == 0 || !z.of.first(visit{p, src, n}) {
		return
	}
	z.blocks = append(z.blocks, block{at: p, n: n, src: src, dst: dst})
	for i := range n {
		z.find(unsafe.Add(p, uintptr(i)*src.typ.Size()), src, dst)
	}
}

// variable returns the address of a variable that holds v.
func variable(v reflect.Value) unsafe.Pointer {
	x := reflect.New(v.Type())
	x.Elem().Set(v)
	return x.UnsafePointer()
}

// allocate makes the shadows. Blocks that overlap are parts of one: the pointer to
// an element lies in the slice, two slices may be windows of a third.
func (z *zeroer) allocate() {
	slices.SortFunc(z.blocks, func(a, b block) int {
		return cmp.Or(cmp.Compare(a.lo(), b.lo()), -cmp.Compare(a.hi(), b.hi()))
	})
	whole := z.blocks[:0]
	for _, b := range z.blocks {
		if n := len(whole) - 1; n >= 0 && b.lo() < whole[n].hi() {
			last := &whole[n]
			if b.hi() > last.hi() {
				if b.src != last.src {
					panic("rt.ZeroLike: memory is shared as " + last.src.typ.String() + " and as " + b.src.typ.String())
				}
				last.n = int((b.hi() - last.lo()) / b.src.typ.Size())
			} else if b.lo() == last.lo() && b.hi() == last.hi() && holds(b.src.typ, last.src.typ) {
				last.src, last.dst, last.n = b.src, b.dst, b.n
			}
			continue
		}
		whole = append(whole, b)
	}
	z.blocks = whole
	for i := range whole {
		b := &whole[i]
		if b.n == 1 {
			b.shadow = reflect.New(b.dst.typ).UnsafePointer()
		} else {
			b.shadow = reflect.MakeSlice(reflect.SliceOf(b.dst.typ), b.n, b.n).UnsafePointer()
		}
	}
}

// holds reports whether a value of type t begins with one of type u.
func holds(t, u reflect.Type) bool {
	for t != u {
		switch {
		case t.Kind() == reflect.Struct && t.NumField() > 0:
			t = t.Field(0).Type
		case t.Kind() == reflect.Array && t.Len() > 0:
			t = t.Elem()
		default:
			return false
		}
	}
	return true
}

// shadow returns the shadow of the memory of the given layout at p.
func (z *zeroer) shadow(p unsafe.Pointer, src *layout) unsafe.Pointer {
	if p == nil {
		return nil
	}
	i, found := slices.BinarySearchFunc(z.blocks, uintptr(p), func(b block, at uintptr) int { return cmp.Compare(b.lo(), at) })
	if !found {
		i--
	}
	if i < 0 || uintptr(p) > z.blocks[i].hi() {
		return nil // a slice of capacity 0
	}
	b := &z.blocks[i]
	off := uintptr(p) - b.lo()
	size := b.src.typ.Size()
	k := off / size
	return unsafe.Add(b.shadow, k*b.dst.typ.Size()+within(b.src.typ, b.dst.typ, src.typ, off-k*size))
}

// within returns the offset in dst of the part that lies at off in src and has the
// type part.
func within(src, dst, part reflect.Type, off uintptr) uintptr {
	if off == 0 && src == part {
		return 0
	}
	switch src.Kind() {
	case reflect.Struct:
		for i := src.NumField() - 1; i >= 0; i-- {
			if f := src.Field(i); f.Offset <= off && off < f.Offset+f.Type.Size() {
				return dst.Field(i).Offset + within(f.Type, dst.Field(i).Type, part, off-f.Offset)
			}
		}
	case reflect.Array:
		if size := src.Elem().Size(); size > 0 {
			k := off / size
			return k*dst.Elem().Size() + within(src.Elem(), dst.Elem(), part, off-k*size)
		}
	}
	return 0
}

// fill makes what is at to, the shadow of the value at p.
func (z *zeroer) fill(p, to unsafe.Pointer, src, dst *layout) {
	if z.rest {
		z.copyRest(p, to, src)
	}
	for i, r := range src.refs {
		d := dst.refs[i]
		q, t := unsafe.Add(p, r.at), unsafe.Add(to, d.at)
		switch r.typ.Kind() {
		case reflect.Pointer:
			*(*unsafe.Pointer)(t) = z.shadow(pointer(q), r.elem)
		case reflect.Slice:
			switch s := slice(q); {
			case s.data == nil:
			case s.cap == 0:
				at(d.typ, t).Set(reflect.MakeSlice(d.typ, 0, 0))
			case z.apart:
				y := reflect.MakeSlice(d.typ, s.len, s.cap)
				at(d.typ, t).Set(y)
				for i := range s.cap {
					z.fill(unsafe.Add(s.data, uintptr(i)*r.elem.typ.Size()), unsafe.Add(y.UnsafePointer(), uintptr(i)*d.elem.typ.Size()), r.elem, d.elem)
				}
			default:
				*(*header)(t) = header{z.shadow(s.data, r.elem), s.len, s.cap}
			}
		case reflect.Map:
			if m := at(r.typ, q); !m.IsNil() {
				at(d.typ, t).Set(z.entries(m, d.typ, r.elem, d.elem))
			}
		case reflect.Interface:
			v, isRef, ok := held(r.typ, q)
			if !ok {
				continue
			}
			l := layoutOf(v.Type())
			if z.rest && !l.reach {
				continue
			}
			x := reflect.New(v.Type())
			z.fill(v.Addr().UnsafePointer(), x.UnsafePointer(), l, l)
			if isRef {
				x = x.Elem()
			}
			at(d.typ, t).Set(x)
		}
	}
}

// entries returns the shadow of a map.
func (z *zeroer) entries(m reflect.Value, typ reflect.Type, src, dst *layout) reflect.Value {
	if s, ok := z.maps[m.UnsafePointer()]; ok {
		return s
	}
	s := reflect.MakeMapWithSize(typ, m.Len())
	z.maps[m.UnsafePointer()] = s
	for it := m.MapRange(); it.Next(); {
		x := reflect.New(dst.typ)
		z.fill(variable(it.Value()), x.UnsafePointer(), src, dst)
		s.SetMapIndex(it.Key(), x.Elem())
	}
	return s
}
