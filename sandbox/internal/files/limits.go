package files

import "cmp"

// Limits holds the limits of the operations of one run. A zero field means its default.
//
// The sources of the defaults: (S n) is section n of the Safe Tool Specification; (M) was
// chosen so that the largest result fits into the memory of one worker and the longest
// work between two checks of the context takes less than 100 ms.
type Limits struct {
	ReadBytes      int64 // (S 6.4) 16 MiB: size of one file to read
	WriteBytes     int64 // (S 6.4) 16 MiB: size of one write
	WorkspaceBytes int64 // (S 6.4) 1 GiB: total size of the files of a workspace
	Entries        int   // (S 6.4) 100,000: entries visited by one walk, and entries of a workspace
	GrepLines      int   // (S 6.4) 10,000: lines of one grep
	SearchHits     int   // (S 6.4) 1,000: hits of one searchInFiles
	ResultBytes    int64 // (M) 16 MiB: total size of the strings of one list
	Lines          int   // (M) 500,000: strings of one list, and lines of a file to sort
	ArgumentBytes  int   // (M) 64 KiB: the JSON arguments of one operation
	PathBytes      int   // 4,096: length of a path, as on Linux
	NameBytes      int   // 255: length of a name in a path, as on Linux
	Depth          int   // (M) 100: directories below a root
	Links          int   // 40: symbolic links followed for one path, as on Linux
	PatternBytes   int   // (M) 1,000: length of a regular expression
	PatternSize    int   // (M) 20,000: instructions of a regular expression, with repetitions expanded
	GlobBytes      int   // (M) 1,000: length of a glob
	Fields         int   // (M) 1,000: fields of one cut
	Denials        int   // (M) 100: denials that are reported one by one
}

// withDefaults replaces zero fields with their defaults.
func (l Limits) withDefaults() Limits {
	return Limits{
		ReadBytes:      cmp.Or(l.ReadBytes, 16<<20),
		WriteBytes:     cmp.Or(l.WriteBytes, 16<<20),
		WorkspaceBytes: cmp.Or(l.WorkspaceBytes, 1<<30),
		Entries:        cmp.Or(l.Entries, 100_000),
		GrepLines:      cmp.Or(l.GrepLines, 10_000),
		SearchHits:     cmp.Or(l.SearchHits, 1_000),
		ResultBytes:    cmp.Or(l.ResultBytes, 16<<20),
		Lines:          cmp.Or(l.Lines, 500_000),
		ArgumentBytes:  cmp.Or(l.ArgumentBytes, 64<<10),
		PathBytes:      cmp.Or(l.PathBytes, 4096),
		NameBytes:      cmp.Or(l.NameBytes, 255),
		Depth:          cmp.Or(l.Depth, 100),
		Links:          cmp.Or(l.Links, 40),
		PatternBytes:   cmp.Or(l.PatternBytes, 1000),
		PatternSize:    cmp.Or(l.PatternSize, 20_000),
		GlobBytes:      cmp.Or(l.GlobBytes, 1000),
		Fields:         cmp.Or(l.Fields, 1000),
		Denials:        cmp.Or(l.Denials, 100),
	}
}
