package scan

// weights are the weights of the features, in tenths of a point. TestWeights learns them from one
// half of the corpus, and writes this file with -update.
var weights = [featureCount]int{
	2, 2, 56, 47, 24, 7, 46, 127, 58, 35, 7, 6,
	13, 21, 3, 14, 0, 1, 8, 13, 64, 30, 40, 43,
	56, 38, 50, 0, 1, 15, 0, 26, 57, 1, 28, 23,
	26, 1, 61, 6, 72, 52, 116, 118, 107, 80, 45, 14,
	25, 74, 68, 95, 47, 90, 63, 70, -38, -46, -15, 0,
	-47, 0, -32, -79, 0, -16, -3, -25,
}
