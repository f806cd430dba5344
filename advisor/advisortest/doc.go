// Package advisortest checks advisors against the contract of package advisor:
//
//	func TestMine(t *testing.T) {
//		advisortest.TestAdvisor(t, func() advisor.Advisor { return mine.New() })
//	}
//
// The suite uses scripted models: nothing leaves the process.
package advisortest
