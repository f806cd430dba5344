package boot

import "runtime/debug"

// Version is the version of the module that the program was built of, "(devel)"
// for one that was built from a working copy. All programs report this one.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
