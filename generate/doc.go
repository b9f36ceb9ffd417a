// Package generate is the driver of quablagen: it loads packages, has a file
// built for each source file with directives, and brings the files on disk up to
// date. [Run] does all of it.
//
// What goes into a file is the business of the hooks in [Options]; this package
// decides which files there are, compares, writes and removes them. It writes
// atomically, leaves unchanged files untouched, and writes nothing for a package
// with an error.
package generate
