package scan

// weights are the weights of the features, in tenths of a point. TestWeights learns them from one
// half of the corpus, and writes this file with -update.
var weights = [featureCount]int{
	0, 1, 89, 60, 34, 1, 79, 190, 80, 41, 2, 5,
	17, 36, 3, 32, 0, 8, 12, 35, 117, 57, 59, 79,
	95, 65, 81, 0, 1, 26, 0, 25, 93, 7, 46, 43,
	47, 1, 98, 35, 103, 92, -77, -84, -26, 0, -97, 0,
	-61, -177, 0, -30, -31, -99,
}
