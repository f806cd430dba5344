package scan

// weights are the weights of the features, in tenths of a point. TestWeights learns them from one
// half of the corpus, and writes this file with -update.
var weights = [featureCount]int{
	1, 1, 64, 54, 24, 1, 51, 153, 63, 35, 6, 5,
	14, 23, 0, 19, 0, 1, 6, 16, 76, 41, 46, 51,
	67, 42, 59, 0, 1, 16, 0, 24, 67, 1, 32, 27,
	30, 1, 71, 19, 73, 63, 132, 138, 117, 95, 54, 13,
	36, 82, 96, 108, 45, 102, 79, -45, -58, -16, 0, -59,
	0, -39, -91, 0, -19, -9, -46,
}
