package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/toolspec"
)

// addResources serves the resources of the scenarios resources-*.
func addResources(_ context.Context, hub *mcphub.Hub) error {
	return errors.Join(
		hub.AddResource(mcphub.Resource{URI: "test://static-text", Name: "Static text", Description: "A text.", MIMEType: "text/plain"},
			mcphub.ReadText("This is the content of the static text resource.")),
		hub.AddResource(mcphub.Resource{URI: "test://static-binary", Name: "Static binary", Description: "An image.", MIMEType: "image/png"},
			func(context.Context, *mcphub.ReadRequest) (*mcphub.ReadResult, error) {
				return &mcphub.ReadResult{Contents: []toolspec.Content{{Data: pixel}}}, nil
			}),
		hub.AddResource(mcphub.Resource{URI: "test://watched-resource", Name: "Watched resource", Description: "To subscribe to.", MIMEType: "text/plain"},
			mcphub.ReadText("Watched resource content")),
		hub.AddResource(mcphub.Resource{URI: "test://example-resource", Name: "Example resource", Description: "What prompts embed.", MIMEType: "text/plain"},
			mcphub.ReadText("Embedded resource content for testing.")),
		hub.AddResourceTemplate(mcphub.ResourceTemplate{URITemplate: "test://template/{id}/data", Name: "Template", Description: "Data by id.",
			MIMEType: "application/json", Complete: map[string]mcphub.CompleteFunc{"id": mcphub.CompleteFrom("123", "456")}},
			func(_ context.Context, req *mcphub.ReadRequest) (*mcphub.ReadResult, error) {
				id := req.Variables["id"]
				data, err := json.Marshal(map[string]any{"id": id, "templateTest": true, "data": "Data for ID: " + id})
				return &mcphub.ReadResult{Contents: []toolspec.Content{{Text: string(data)}}}, err
			}),
	)
}
