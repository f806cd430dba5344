package scan

// feature is something that speaks for a demand being made against the user, or against it.
type feature uint8

// What is demanded.
const (
	fFirstCall feature = iota // to be called before others
	fDivert                   // another tool
	fSecret                   // a secret
	fPass                     // passing data on
	fTamper                   // changed arguments
	fRead                     // reading
	fHarm                     // an effect
	fConceal                  // silence
	fShadow                   // its own use in place of others

	// Its force and condition.
	fObliged         // must, rather than a plain order
	fConditionWeak   // under a condition, at least
	fConditionSome   // for all of something, at least
	fConditionWork   // whenever other work is done
	fConditionEffect // and then an effect
	fConditionData   // and then data is read or passed on
	fConditionOther  // and then another tool is called
	fBefore          // before something
	fBeforeEvery     // before everything
	fWork            // the sentence is about work in general
	fEvery           // any, all, every

	// What it is about.
	fSecretPath // a path at which secrets are kept
	fPath       // another certain path
	fSecretWord // a password, a key
	fPrivate    // the conversation, personal data
	fAddress    // a mailbox or URL
	fAddressPassed
	fNumber
	fQuoted
	fNamed        // another tool, by name
	fNamedUnknown // which is not of this server
	fOthers       // other tools in general
	fTargetActs   // the other tool changes something
	fWhole        // all of something
	fValueOther   // another tool, with a value for it
	fCarried      // in an argument
	fAfterRead    // what the sentence before had read

	// What is claimed for it.
	fReason // security, compliance, accuracy
	fReasonWork
	fPolicy // an authority
	fThreat // failure otherwise
	fQuiet  // in silence
	fClaimedBefore

	// What its shape says, see frame.
	fOverride   // other rules than these are void
	fConsent    // no person is asked
	fSolicit    // a person is made to give a secret
	fHarvest    // the conversation, or what is known of the user
	fPropagate  // a text is put into other texts
	fOtherBad   // other tools are spoken ill of
	fInstead    // and this one is put in their place
	fGuardOff   // a protection is turned off
	fOutside    // data goes to others
	fBots       // it is about what assistants do
	fFirstOfAll // it comes before everything
	fAlters     // what other tools get or return is changed
	fRunRemote  // code from elsewhere is run
	fKorean     // it is written in Korean, and known by its stems

	// What speaks against.
	fYieldsKey          // an id that a call needs
	fYieldsKeyOfSibling // from a tool of the same server
	fOwnField           // it is about an argument of the tool itself
	fParam              // it describes an argument
	fRather             // it recommends another tool in place of itself
	fFirst              // it is the first sentence, which says what the tool does
	fPurpose            // the tool is for such things
	fAsksUser           // the user is asked
	fMay                // it is allowed and not demanded
	fServer             // it is the instructions of a server
	fNot                // it forbids something
	fShortOrder         // a few words about the call itself

	featureCount
)

var kinds = map[string]feature{rulePrecedence: fFirstCall, ruleDivert: fDivert, ruleSecret: fSecret, rulePass: fPass, ruleTamper: fTamper, ruleRead: fRead, ruleHarm: fHarm, ruleConceal: fConceal, ruleShadow: fShadow,
	ruleOverride: fOverride, ruleConsent: fConsent, ruleSolicit: fSolicit, rulePropagate: fPropagate}

// against reports a feature that can only lower a weight. All others can only raise one, so
// that a text never gets better by demanding more.
func (f feature) against() bool { return f >= fYieldsKey }
