package catalog

// Category is one of the groups that the bundled tools are shown in.
type Category struct {
	ID          string `json:"id"`
	DisplayName string `json:"displayName"`
	// Order sorts them; equal for none.
	Order int `json:"order"`
}

// Categories lists the bundled vocabulary (specification section 1.4), in its
// order. A spec may have any other category, and is shown in the last when it
// has none. Each call gives a new list.
func Categories() []Category {
	return []Category{
		{"TEXT", "Text & Strings", 10},
		{"DATA", "Data Formats", 20},
		{"DATETIME", "Date & Time", 30},
		{"MATH", "Math & Compute", 40},
		{"ENCODING", "Encoding", 50},
		{"CRYPTO", "Crypto & Random", 60},
		{"SECURITY", "Security", 70},
		{"FILE", "Files", 75},
		{"WEB", "Web", 80},
		{"PRODUCTIVITY", "Productivity", 90},
		{"MESSAGING", "Messaging", 100},
		{"AI", "AI APIs", 110},
		{"CUSTOM", "Custom", 999},
	}
}
