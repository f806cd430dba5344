package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
)

// StdioSandbox limits what a started program and its child processes reach. The zero value
// allows the files of the system that programs need and nothing else: no other file, and no
// network. It needs Linux with Landlock, and without Network also network namespaces for this
// user. Where they are missing, the program is not started, and the error says what is missing.
//
// The files of the system are those below /usr, /bin, /sbin, /lib, /opt and /nix/store, those
// in /etc that name users, hosts and certificates, /proc, and devices such as /dev/null. The
// program's own file may be read too, and nothing else in its folder. There is no folder for
// temporary files unless Write names one. Sockets in the file system and processor time are
// not limited.
type StdioSandbox struct {
	// Read are files and folders that may be read and run, and Write those that may also be
	// changed. They are absolute paths, and must exist. Placeholders, ${NAME}, are replaced.
	Read  []string `json:"read,omitempty"`
	Write []string `json:"write,omitempty"`
	// Network leaves the network to the program. Otherwise it has none, not even the loopback
	// interface of this machine.
	Network bool `json:"network,omitempty"`
}

// ErrNoSandbox reports that the system cannot limit a program as a [StdioSandbox] demands.
var ErrNoSandbox = errors.New("client: there is no sandbox here for the program")

// UnmarshalJSON refuses unknown members: a misspelt one could allow what it was meant to forbid.
func (s *StdioSandbox) UnmarshalJSON(data []byte) error {
	type plain StdioSandbox
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode((*plain)(s)); err != nil {
		return fmt.Errorf(`the sandbox has "read", "write" and "network": %w`, err)
	}
	return nil
}

func (s *StdioSandbox) clone() *StdioSandbox {
	if s == nil {
		return nil
	}
	return &StdioSandbox{Read: slices.Clone(s.Read), Write: slices.Clone(s.Write), Network: s.Network}
}

// resolved returns the sandbox with its placeholders replaced.
func (s *StdioSandbox) resolved(r *resolver) *StdioSandbox {
	out := s.clone()
	for i := range out.Read {
		out.Read[i] = r.text(fmt.Sprintf("sandbox.read[%d]", i), out.Read[i])
	}
	for i := range out.Write {
		out.Write[i] = r.text(fmt.Sprintf("sandbox.write[%d]", i), out.Write[i])
	}
	return out
}

// start starts the program within the sandbox.
func (s *StdioSandbox) start(cmd *exec.Cmd) error {
	if cmd.Err != nil { // its file was not found
		return cmd.Err
	}
	for _, path := range slices.Concat(s.Read, s.Write) {
		if !filepath.IsAbs(path) {
			return fmt.Errorf("the sandbox names %q: write an absolute path", path)
		}
	}
	return s.startLimited(cmd)
}
