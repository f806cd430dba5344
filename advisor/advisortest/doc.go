// Package advisortest holds advisors against what package advisor asks of them:
//
//	func TestMine(t *testing.T) {
//		advisortest.TestAdvisor(t, func() advisor.Advisor { return mine.New() })
//	}
//
// The models it puts behind the advisor are scripts: nothing leaves the process.
package advisortest
