package chatapi

import (
	"net/http"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/httpapi"
)

// The problem kinds of this API, in addition to those of every API.
var (
	busyConversation  = httpapi.Kind{Code: string(llm.CodeBusy), Status: http.StatusConflict, Title: "A turn of the conversation has not ended"}
	lockedProvider    = httpapi.Kind{Code: string(llm.CodeProviderLocked), Status: http.StatusConflict, Title: "The conversation belongs to another provider"}
	replayUnavailable = httpapi.Kind{Code: "replay_unavailable", Status: http.StatusConflict, Title: "The events are gone"}
	unknownModel      = httpapi.Kind{Code: string(llm.CodeModelNotFound), Status: http.StatusNotFound, Title: "There is no such model"}
	toollessModel     = httpapi.Kind{Code: string(llm.CodeModelLacksTools), Status: http.StatusUnprocessableEntity, Title: "The model cannot call tools"}
	contextOverflow   = httpapi.Kind{Code: string(llm.CodeContextOverflow), Status: http.StatusUnprocessableEntity, Title: "The conversation is too long for the model"}
	providerDown      = httpapi.Kind{Code: string(llm.CodeUnavailable), Status: http.StatusServiceUnavailable, Title: "The provider cannot be reached"}
	providerAuth      = httpapi.Kind{Code: string(llm.CodeProviderAuth), Status: http.StatusBadGateway, Title: "The provider takes no credentials of this server"}
	providerLate      = httpapi.Kind{Code: string(llm.CodeProviderTimeout), Status: http.StatusGatewayTimeout, Title: "The provider did not answer in time"}
	providerRejected  = httpapi.Kind{Code: string(llm.CodeProviderRejected), Status: http.StatusBadGateway, Title: "The provider refused the request"}
	brokenStream      = httpapi.Kind{Code: string(llm.CodeStreamBroken), Status: http.StatusBadGateway, Title: "The provider's answer broke off"}
	archiveFailed     = httpapi.Kind{Code: string(llm.CodeStore), Status: http.StatusServiceUnavailable, Title: "The conversation cannot be read or stored"}
	unfilledTemplate  = httpapi.Kind{Code: "template_unfilled", Status: http.StatusUnprocessableEntity, Title: "The template needs values"}
	storeReadOnly     = httpapi.Kind{Code: "storage_read_only", Status: http.StatusServiceUnavailable, Title: "The store cannot be written to"}
)

// apiFailures are the problem kinds for failures before a turn starts. Within a turn they
// are events.
var apiFailures = map[llm.Code]httpapi.Kind{
	llm.CodeInvalidArgument: httpapi.InvalidArgument, llm.CodeNotFound: httpapi.NotFound, llm.CodeBusy: busyConversation, llm.CodeProviderLocked: lockedProvider,
	llm.CodeModelNotFound: unknownModel, llm.CodeModelLacksTools: toollessModel, llm.CodeContextOverflow: contextOverflow, llm.CodeRateLimited: httpapi.RateLimited,
	llm.CodeUnavailable: providerDown, llm.CodeProviderAuth: providerAuth, llm.CodeProviderTimeout: providerLate, llm.CodeProviderRejected: providerRejected,
	llm.CodeStreamBroken: brokenStream, llm.CodeStore: archiveFailed,
}

// providerKinds are the possible problem kinds of a request that contacts a provider.
var providerKinds = []httpapi.Kind{unknownModel, httpapi.RateLimited, providerDown, providerAuth, providerLate, providerRejected, brokenStream}

// beginKinds are the possible problem kinds of a request that starts a turn.
var beginKinds = append([]httpapi.Kind{httpapi.NotFound, httpapi.InvalidArgument, busyConversation, lockedProvider, toollessModel, contextOverflow,
	httpapi.StreamLimit, archiveFailed, httpapi.Unauthenticated, httpapi.ShuttingDown, storeReadOnly}, providerKinds...)
