package platform

// ZoneNames lists the zones that are known.
func ZoneNames() []string {
	names := make([]string, len(zoneTable))
	for i, z := range zoneTable {
		names[i] = z.name
	}
	return names
}
