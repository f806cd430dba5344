package weburl

import "strings"

// Set changes one part of the URL as the setter of that name does (WHATWG URL, section
// 6.1). An invalid value changes nothing.
func (u *URL) Set(part, value string) {
	switch part {
	case "protocol":
		u.change(value+":", stateSchemeStart)
	case "username":
		if !u.noCredentials() {
			u.Username = string(AppendEncoded(nil, value, encodeUser))
		}
	case "password":
		if !u.noCredentials() {
			u.Password = string(AppendEncoded(nil, value, encodeUser))
		}
	case "host":
		if !u.opaque {
			u.change(value, stateHost)
		}
	case "hostname":
		if !u.opaque {
			u.change(value, stateHostname)
		}
	case "port":
		switch {
		case u.noCredentials():
		case value == "":
			u.port = -1
		default:
			u.change(value, statePort)
		}
	case "pathname":
		if !u.opaque {
			u.path = nil
			u.change(value, statePathStart)
		}
	case "search":
		u.setSearch(value)
	case "hash":
		if value == "" {
			u.fragment = nil
			u.TrimOpaque()
			return
		}
		empty := ""
		u.fragment = &empty
		u.change(strings.TrimPrefix(value, "#"), stateFragment)
	}
}

func (u *URL) setSearch(value string) {
	if value == "" {
		u.Query = nil
		u.TrimOpaque()
		return
	}
	empty := ""
	u.Query = &empty
	u.change(strings.TrimPrefix(value, "?"), stateQuery)
}
