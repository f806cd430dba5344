/** inShell is a text as one word of a shell. */
const inShell = (text: string) => "'" + text.replaceAll("'", "'\\''") + "'";

/** asCurl does the operation once more from a shell, through the API of this page. */
export function asCurl(url: string, body: unknown): string {
  return (
    "curl -s " +
    inShell(url) +
    " \\\n  -H 'Content-Type: application/json' \\\n  -d " +
    inShell(JSON.stringify(body))
  );
}

/** asGo is a program that does it. */
export function asGo(url: string, body: unknown): string {
  return `package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"
)

func main() {
	body := ${JSON.stringify(JSON.stringify(body))}
	res, err := http.Post(${JSON.stringify(url)}, "application/json", strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	fmt.Println(string(answer), err)
}
`;
}

/** asRPC is the message itself. */
export const asRPC = (method: string, params: unknown) =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
