// Package workspace decides which directory of the user the tools of a chat may use. It is
// the only place where this is decided; the sandbox carries it out for every run.
//
// Deny is the default: a directory is used only after the user was asked about it, or
// named it. These rules hold in every directory:
//
//   - The homes of localpass are neither read nor written, and no directory in them is
//     used.
//   - The root of a file system, the home directory of the user, what contains it, and
//     directories below a withheld name are used only by name (-workspace DIR).
//   - Entries named .ssh, .gnupg, .aws, .git and .env* are withheld at any depth, unless
//     the user names them (-include NAME).
//   - No symbolic link leads out: a directory is used by its resolved path, and only as
//     long as the same directory is there.
//   - Writing needs more than reading: without -write everything is read-only.
//
// The answer of the user is stored in the home by the resolved path.
package workspace
