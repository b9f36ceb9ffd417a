// Package list holds stand-ins for the types of the standard library's package
// container/list, whose fields are its own.
package list

import _ "container/list"

//quabla:rule for=container/list.Element as=element
//quabla:rule for=container/list.List as=list

// An element has the fields of list.Element in their order: Value is known by its place.
type element struct {
	next, prev *element
	in         *list
	Value      any
}

type list struct {
	first, last *element
	n           int
}

//quabla:rule for=container/list.New as=newList
func newList() *list { return &list{} }

func (l *list) Init() *list {
	l.first, l.last, l.n = nil, nil, 0
	return l
}

func (l *list) Len() int        { return l.n }
func (l *list) Front() *element { return l.first }
func (l *list) Back() *element  { return l.last }

func (e *element) Next() *element { return e.next }
func (e *element) Prev() *element { return e.prev }

// insert puts e behind at, or in front of all if at is nil.
func (l *list) insert(e, at *element) *element {
	e.in, e.prev = l, at
	if at == nil {
		e.next, l.first = l.first, e
	} else {
		e.next, at.next = at.next, e
	}
	if e.next == nil {
		l.last = e
	} else {
		e.next.prev = e
	}
	l.n++
	return e
}

// take takes e out.
func (l *list) take(e *element) {
	if e.prev == nil {
		l.first = e.next
	} else {
		e.prev.next = e.next
	}
	if e.next == nil {
		l.last = e.prev
	} else {
		e.next.prev = e.prev
	}
	e.next, e.prev, e.in = nil, nil, nil
	l.n--
}

func (l *list) PushFront(v any) *element { return l.insert(&element{Value: v}, nil) }
func (l *list) PushBack(v any) *element  { return l.insert(&element{Value: v}, l.last) }

func (l *list) InsertBefore(v any, mark *element) *element {
	if mark.in != l {
		return nil
	}
	return l.insert(&element{Value: v}, mark.prev)
}

func (l *list) InsertAfter(v any, mark *element) *element {
	if mark.in != l {
		return nil
	}
	return l.insert(&element{Value: v}, mark)
}

func (l *list) Remove(e *element) any {
	if e.in == l {
		l.take(e)
	}
	return e.Value
}

// move puts e behind at, if it is not there already.
func (l *list) move(e, at *element) {
	if e != at && e.prev != at {
		l.take(e)
		l.insert(e, at)
	}
}

func (l *list) MoveToFront(e *element) {
	if e.in == l {
		l.move(e, nil)
	}
}

func (l *list) MoveToBack(e *element) {
	if e.in == l {
		l.move(e, l.last)
	}
}

func (l *list) MoveBefore(e, mark *element) {
	if e.in == l && e != mark && mark.in == l {
		l.move(e, mark.prev)
	}
}

func (l *list) MoveAfter(e, mark *element) {
	if e.in == l && e != mark && mark.in == l {
		l.move(e, mark)
	}
}

func (l *list) PushBackList(other *list) {
	e := other.first
	for n := other.n; n > 0; n-- {
		l.PushBack(e.Value)
		e = e.next
	}
}

func (l *list) PushFrontList(other *list) {
	e := other.last
	for n := other.n; n > 0; n-- {
		l.PushFront(e.Value)
		e = e.prev
	}
}
