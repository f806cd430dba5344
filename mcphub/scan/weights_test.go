package scan

import (
	"flag"
	"fmt"
	"go/format"
	"math"
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write weights.go anew")

// demandsOf returns the features of each demand of a tool.
func demandsOf(s *Sample) (out [][]feature) {
	all := namesOf([]Server{s.Server})
	d, _ := read(s.Server.Tools[0])
	c := &context{name: folded(d.name), params: d.params, siblings: all.of(0)}
	c.purpose = purposeOf(&d)
	for _, t := range d.texts {
		if !t.name {
			c.param = t.param
			for _, d := range c.demands(t.text) {
				out = append(out, d.features)
			}
		}
	}
	return out
}

// prior is what the weights are before anything is learned, in units of the logistic function.
var prior = [featureCount]float64{
	fFirstCall: .8, fDivert: .6, fSecret: 1.2, fPass: .5, fTamper: .8, fRead: .2, fHarm: 1, fConceal: 3.2, fShadow: 1.8,
	fObliged: .5, fConditionWeak: .1, fConditionSome: .4, fConditionWork: 1, fConditionEffect: .6, fConditionData: .6, fConditionOther: .4, fBefore: .2, fBeforeEvery: 1, fWork: .3, fEvery: .3,
	fSecretPath: 2.5, fPath: .8, fSecretWord: .6, fPrivate: .8, fAddress: 1.2, fAddressPassed: 1, fNumber: .6, fQuoted: .6, fNamed: .4, fNamedUnknown: .2, fOthers: .4, fTargetActs: .8, fWhole: .4, fValueOther: 1, fCarried: .4, fAfterRead: 1,
	fReason: .8, fReasonWork: .4, fPolicy: 1, fThreat: .5, fQuiet: 1.5, fClaimedBefore: .3,
	fOverride: 3, fConsent: 3, fSolicit: 3, fHarvest: 2.5, fPropagate: 2.5, fOtherBad: 1.5, fInstead: 1, fGuardOff: 2.5, fOutside: 1.5, fBots: 2, fFirstOfAll: 2, fAlters: 2, fRunRemote: 2.5, fKorean: 2,
	fYieldsKey: -2, fYieldsKeyOfSibling: -1.5, fOwnField: -1.2, fParam: -.4, fRather: -1, fFirst: -.6, fPurpose: -1.5, fAsksUser: -2, fMay: -.5, fServer: -.7, fNot: -.3, fShortOrder: -1,
}

// TestWeights learns the weights from the half of the corpus that is not held out: a logistic
// regression over the strongest demand of each tool, held near the prior. What the package has
// is what comes out; -update writes it.
func TestWeights(t *testing.T) {
	var data []Sample
	for _, s := range Corpus(t) {
		if !s.HeldOut {
			data = append(data, s)
		}
	}
	type row struct {
		demands [][]feature
		y       float64
	}
	var rows []row
	for i := range data {
		r := row{demands: demandsOf(&data[i])}
		if data[i].Poisoned {
			r.y = 1
		}
		rows = append(rows, r)
	}
	w := slices.Clone(prior[:])
	bias := -3.0
	r := rand.New(rand.NewSource(1))
	score := func(f []feature) float64 {
		s := bias
		for _, f := range f {
			s += w[f]
		}
		return s
	}
	best := func(d [][]feature) ([]feature, float64) {
		if len(d) == 0 {
			return nil, bias
		}
		m := slices.MaxFunc(d, func(a, b []feature) int {
			if score(a) < score(b) {
				return -1
			}
			return 1
		})
		return m, score(m)
	}
	rate := 0.05
	for epoch := range 120 {
		r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		for _, row := range rows {
			f, z := best(row.demands)
			p := 1 / (1 + math.Exp(-z))
			g := p - row.y
			if row.y == 0 {
				g *= 2.5
			}
			bias -= rate * g
			for _, f := range f {
				w[f] -= rate * (g + 0.03*(w[f]-prior[f]))
				if feature(f).against() {
					w[f] = min(w[f], 0)
				} else {
					w[f] = max(w[f], 0)
				}
			}
		}
		if epoch%50 == 49 {
			rate *= 0.7
		}
	}
	scale := evenAt * tenths / -bias
	var learned [featureCount]int
	for f := range learned {
		learned[f] = int(math.Round(w[f] * scale))
	}
	if !*update {
		for f := range learned { // another processor rounds otherwise
			require.InDelta(t, weights[f], learned[f], 2, "the corpus or the rules changed: go test ./mcphub/scan -run TestWeights -update")
		}
		return
	}
	var b strings.Builder
	b.WriteString("package scan\n\n// weights are the weights of the features, in tenths of a point. TestWeights learns them from one\n// half of the corpus, and writes this file with -update.\nvar weights = [featureCount]int{")
	for f := range learned {
		if f%12 == 0 {
			b.WriteString("\n\t")
		}
		fmt.Fprintf(&b, "%d, ", learned[f])
	}
	b.WriteString("\n}\n")
	source, err := format.Source([]byte(b.String()))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("weights.go", source, 0o644))
}
