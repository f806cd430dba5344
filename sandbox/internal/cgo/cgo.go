//go:build cgotest

package cgo

/*
#include <pthread.h>

static void *nothing(void *arg) { return arg; }

// threads starts n threads of the C library, one after another, and counts
// those that ended.
static int threads(int n) {
	int done = 0;
	for (int i = 0; i < n; i++) {
		pthread_t t;
		if (pthread_create(&t, 0, nothing, 0) == 0 && pthread_join(t, 0) == 0)
			done++;
	}
	return done;
}
*/
import "C"

// Threads starts n threads with the C library and returns how many of them finished.
func Threads(n int) int { return int(C.threads(C.int(n))) }
