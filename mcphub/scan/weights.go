package scan

// weights are the weights of the features, in tenths of a point. TestWeights learns them from one
// half of the corpus, and writes this file with -update.
var weights = [featureCount]int{
	16, 1, 84, 51, 17, 0, 81, 113, 68, 33, 13, 4,
	22, 8, 4, 9, 1, 25, 3, 27, 108, 47, 11, 86,
	81, 57, 82, 0, 6, 0, 0, 32, 28, 11, 36, 37,
	44, 1, 85, 29, 93, 25, -114, -72, -11, 0, -64, 0,
	-55, -141, 0, -26, -17, -76,
}
