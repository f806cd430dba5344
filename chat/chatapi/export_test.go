package chatapi

// The bodies, for the tests.
type (
	APIConversation       = apiConversation
	APIConversationDetail = apiConversationDetail
	APIMissingTool        = apiMissingTool
	APIConversations      = apiConversations
	APIHits               = apiHits
	APIImage              = apiImage
	APIModels             = apiModels
	APIPreset             = apiPreset
	APIPresets            = apiPresets
	APIProvider           = apiProvider
	APIPullEvent          = apiPullEvent
	APIRendered           = apiRendered
	APIResponsesEvent     = apiResponsesEvent
	APITurn               = apiTurn
	APITurnRequest        = apiTurnRequest
)

// The turns, for the tests.
type (
	Turns    = turnRegistry
	LiveTurn = liveTurn
)

// NewTurns makes turns without an API.
var NewTurns = newTurnRegistry

// Turns are those of the API.
func (a *API) Turns() *turnRegistry { return a.turns }

// OnFinish sets what is called after each turn.
func (ts *turnRegistry) OnFinish(f func(*liveTurn)) { ts.onFinish = f }
