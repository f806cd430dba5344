package boot

import "runtime/debug"

// Version is the version of the module that the program was built from, or "(devel)" for
// a build of a working copy. All programs report it.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
