package genai_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/localpass/localpass/observe/genai"
)

// A program makes one Telemetry with its providers and its logger, and passes it to every
// package. A package begins and ends an operation for each call.
func Example() {
	spans := tracetest.NewInMemoryExporter() // in a program, an exporter that sends them
	traces := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader()))
	tel := &genai.Telemetry{
		TracerProvider: traces,
		MeterProvider:  meters,
		Logger:         slog.New(slog.NewTextHandler(os.Stderr, nil)),
	}

	// A chat and a studio report the same call: it is one span with the attributes of
	// both.
	ctx, call := tel.StartTool(context.Background(), genai.Tool{Name: "hash", CallID: "call_1"})
	within, part := tel.StartTool(ctx, genai.Tool{Name: "hash", CallID: "call_1", Origin: genai.OriginSpec, Level: "L0"})
	part.End(within, "", nil)
	call.End(ctx, "TIMEOUT", context.DeadlineExceeded)

	for _, span := range spans.GetSpans() {
		fmt.Println(span.Name, span.Status.Code, span.Status.Description)
	}
	// Output: execute_tool hash Error context deadline exceeded
}
