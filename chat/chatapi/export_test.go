package chatapi

// The bodies, for the tests.
type (
	APIConversation       = apiConversation
	APIConversationDetail = apiConversationDetail
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
