package toolspec

import (
	"fmt"
	"net/url"
	"strings"
)

// Icon is an image that a client may show for a tool, a prompt or a resource.
type Icon struct {
	// Src is its URL, an https or a data URL. Icons with other URLs are not served and
	// not accepted from other servers, because a web page may show them.
	Src string
	// MIMEType is its type, such as "image/png", if Src does not show it.
	MIMEType string
	// Sizes are the sizes for which it is made, such as "48x48", or "any".
	Sizes []string
	// Theme is the background for which it is made: "light" or "dark". Empty: any.
	Theme string
}

// Check says why the icon cannot be served, or returns nil.
func (i *Icon) Check() error {
	u, err := url.Parse(i.Src)
	if err != nil || u.Scheme != "data" && (u.Scheme != "https" || u.Host == "") {
		return fmt.Errorf("toolspec: the icon %q: use an https or a data URL", shortened(i.Src))
	}
	if i.Theme != "" && i.Theme != "light" && i.Theme != "dark" {
		return fmt.Errorf("toolspec: the icon %q has the theme %q: use light, dark or none", shortened(i.Src), i.Theme)
	}
	return nil
}

// shortened cuts a text that may be long, such as a data URL, for an error message.
func shortened(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
