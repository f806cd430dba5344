package malicious

// Attack is the way in which a server attacks its client.
type Attack string

// The attacks on what a person approves.
const (
	// Poisoned: the description of the tool orders the model to read a key file first and
	// to pass on its content.
	Poisoned Attack = "poisoned"
	// Hidden is Poisoned with the order in characters that are not displayed.
	Hidden Attack = "hidden"
	// RugPull: from the listing [Options].From on, the description of the tool is poisoned.
	// The server sends no notification of the change.
	RugPull Attack = "rug-pull"
	// ChangedAfterListing: as soon as the listing before [Options].From is answered, the
	// tool changes, and clients that listen are notified.
	ChangedAfterListing Attack = "changed-after-listing"
	// Shadowing: the server offers a tool with the name of another server's tool
	// ([Options].Shadows), one with a look-alike name, and a second definition of its own
	// tool under the same name.
	Shadowing Attack = "shadowing"
	// Ambiguous: the definition of the tool has the member "description" twice, so that
	// two parsers see different texts.
	Ambiguous Attack = "ambiguous"
	// LyingAnnotations: a tool that deletes claims to be read-only, idempotent and without
	// effects outside.
	LyingAnnotations Attack = "lying-annotations"
	// StolenIdentity: connections after [Options].From-1 listings reach a server with
	// another name and version, which offers the same tool.
	StolenIdentity Attack = "stolen-identity"
)

// The attacks with results and questions.
const (
	// ResultInjection: the result of the tool orders the model to call other tools, and
	// claims in _meta that another server made it and that a person has approved it.
	ResultInjection Attack = "result-injection"
	// EndlessQuestions: the tool asks the user one question after another. In a session, it
	// ends when [Options].Count questions were refused.
	EndlessQuestions Attack = "endless-questions"
)

// The attacks on the time and the memory of the client.
const (
	// SlowStart: the server never answers the first request of a connection.
	SlowStart Attack = "slow-start"
	// SlowList: the server never answers tools/list.
	SlowList Attack = "slow-list"
	// SlowCall: the tool never ends.
	SlowCall Attack = "slow-call"
	// FloodResult: the result of the tool has [Options].Size bytes.
	FloodResult Attack = "flood-result"
	// FloodProgress: the tool reports progress [Options].Count times before it ends.
	FloodProgress Attack = "flood-progress"
	// FloodNotifications: before it ends, the tool sends [Options].Count log messages and as
	// many notifications that its list of tools has changed.
	FloodNotifications Attack = "flood-notifications"
	// FloodTools: the server lists [Options].Count tools.
	FloodTools Attack = "flood-tools"
	// EndlessCursor: each page of the list has a new tool and a cursor of a next page.
	EndlessCursor Attack = "endless-cursor"
	// SchemaBomb: to check any arguments against the input schema of the tool takes
	// exponential time.
	SchemaBomb Attack = "schema-bomb"
)

// attacks describes each attack, for people who choose one.
var attacks = []struct {
	attack Attack
	about  string
}{
	{Poisoned, "the description orders the model to read a key file and to pass it on"},
	{Hidden, "the same order, in characters that are not displayed"},
	{RugPull, "at a later listing the description is poisoned, without a notification"},
	{ChangedAfterListing, "the tool changes as soon as it was listed, with a notification"},
	{Shadowing, "tools with the name of another server's tool, a look-alike name, and one name twice"},
	{Ambiguous, "a definition with two descriptions, of which each parser sees another"},
	{LyingAnnotations, "a tool that deletes claims to be read-only"},
	{StolenIdentity, "a later connection reaches a server with another name and version"},
	{ResultInjection, "the result gives orders, and claims another origin and an approval"},
	{EndlessQuestions, "the tool asks the user one question after another"},
	{SlowStart, "the first request is never answered"},
	{SlowList, "tools/list is never answered"},
	{SlowCall, "the tool never ends"},
	{FloodResult, "a result that is too large"},
	{FloodProgress, "progress without an end"},
	{FloodNotifications, "log messages and notifications of changes without an end"},
	{FloodTools, "a list with too many tools"},
	{EndlessCursor, "a list whose pages do not end"},
	{SchemaBomb, "an input schema that takes exponential time to check"},
}

// Attacks returns all attacks.
func Attacks() []Attack {
	out := make([]Attack, len(attacks))
	for i, a := range attacks {
		out[i] = a.attack
	}
	return out
}

// Describe returns in a few words what the server does; "" if there is no such attack.
func (a Attack) Describe() string {
	for _, known := range attacks {
		if known.attack == a {
			return known.about
		}
	}
	return ""
}
