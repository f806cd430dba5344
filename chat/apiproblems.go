package chat

import (
	"net/http"

	"github.com/localpass/localpass/internal/httpapi"
)

// The kinds of problem of this API, beside those of every API.
var (
	busyConversation  = httpapi.Kind{Code: string(CodeBusy), Status: http.StatusConflict, Title: "A turn of the conversation has not ended"}
	lockedProvider    = httpapi.Kind{Code: string(CodeProviderLocked), Status: http.StatusConflict, Title: "The conversation belongs to another provider"}
	replayUnavailable = httpapi.Kind{Code: "replay_unavailable", Status: http.StatusConflict, Title: "The events are gone"}
	unknownModel      = httpapi.Kind{Code: string(CodeModelNotFound), Status: http.StatusNotFound, Title: "There is no such model"}
	toollessModel     = httpapi.Kind{Code: string(CodeModelLacksTools), Status: http.StatusUnprocessableEntity, Title: "The model cannot call tools"}
	contextOverflow   = httpapi.Kind{Code: string(CodeContextOverflow), Status: http.StatusUnprocessableEntity, Title: "The conversation is too long for the model"}
	providerDown      = httpapi.Kind{Code: string(CodeUnavailable), Status: http.StatusServiceUnavailable, Title: "The provider cannot be reached"}
	providerAuth      = httpapi.Kind{Code: string(CodeProviderAuth), Status: http.StatusBadGateway, Title: "The provider takes no credentials of this server"}
	providerLate      = httpapi.Kind{Code: string(CodeProviderTimeout), Status: http.StatusGatewayTimeout, Title: "The provider did not answer in time"}
	providerRejected  = httpapi.Kind{Code: string(CodeProviderRejected), Status: http.StatusBadGateway, Title: "The provider refused the request"}
	brokenStream      = httpapi.Kind{Code: string(CodeStreamBroken), Status: http.StatusBadGateway, Title: "The provider's answer broke off"}
	archiveFailed     = httpapi.Kind{Code: string(CodeStore), Status: http.StatusServiceUnavailable, Title: "The conversation cannot be read or stored"}
	storeReadOnly     = httpapi.Kind{Code: "storage_read_only", Status: http.StatusServiceUnavailable, Title: "The store cannot be written to"}
)

// apiFailures are the kinds of problem of failures that come before a turn begins.
// Within a turn they are events.
var apiFailures = map[Code]httpapi.Kind{
	CodeInvalidArgument: httpapi.InvalidArgument, CodeNotFound: httpapi.NotFound, CodeBusy: busyConversation, CodeProviderLocked: lockedProvider,
	CodeModelNotFound: unknownModel, CodeModelLacksTools: toollessModel, CodeContextOverflow: contextOverflow, CodeRateLimited: httpapi.RateLimited,
	CodeUnavailable: providerDown, CodeProviderAuth: providerAuth, CodeProviderTimeout: providerLate, CodeProviderRejected: providerRejected,
	CodeStreamBroken: brokenStream, CodeStore: archiveFailed,
}

// providerKinds are what a request may answer that asks a provider.
var providerKinds = []httpapi.Kind{unknownModel, httpapi.RateLimited, providerDown, providerAuth, providerLate, providerRejected, brokenStream}

// beginKinds are what a request may answer that begins a turn.
var beginKinds = append([]httpapi.Kind{httpapi.NotFound, httpapi.InvalidArgument, busyConversation, lockedProvider, toollessModel, contextOverflow,
	httpapi.StreamLimit, archiveFailed, httpapi.Unauthenticated, httpapi.ShuttingDown, storeReadOnly}, providerKinds...)
