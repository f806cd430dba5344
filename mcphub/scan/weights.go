package scan

// weights are the weights of the features, in tenths of a point. TestWeights learns them from one
// half of the corpus, and writes this file with -update.
var weights = [featureCount]int{
	2, 6, 66, 36, 30, 0, 70, 134, 50, 33, 10, 10,
	16, 20, 4, 4, 1, 25, 5, 22, 78, 38, 45, 56,
	64, 52, 54, 0, 8, 1, 0, 34, 67, 1, 23, 28,
	30, 1, 69, 23, 74, 54, -42, -62, -15, 0, -49, 0,
	-40, -122, 0, -20, -1, -57,
}
