package platform

// FeatureNames lists the features; OnlyFeature is a set of one.
func FeatureNames() []string { return Features{}.Names() }

func OnlyFeature(name string) Features {
	f := Features{chosen: true}
	for i := range features {
		if features[i].name == name {
			f.set |= 1 << i
		}
	}
	return f
}
