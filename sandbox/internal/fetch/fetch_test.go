package fetch_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/sandbox/internal/fetch"
	"github.com/localpass/localpass/sandbox/internal/hostcall"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
	"github.com/localpass/localpass/toolspec/secret"
)

// site answers with what its paths say.
func site(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	switch r.URL.Path {
	case "/json":
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"a":[1,2,{"b":"é"}],"n":1.5}`)
	case "/text":
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		io.WriteString(w, "0123456789")
	case "/echo":
		w.Header()["X-Two"] = []string{"a", "b"}
		fmt.Fprintf(w, "%s %s %s|%s|%s", r.Method, r.Host, r.URL.RequestURI(), r.Header.Get("Content-Type"), body)
	case "/header":
		io.WriteString(w, strings.Join(r.Header.Values(r.URL.Query().Get("n")), ","))
	case "/status":
		status, _ := strconv.Atoi(r.URL.Query().Get("s"))
		w.WriteHeader(status)
	case "/go":
		w.Header().Set("Location", r.URL.Query().Get("to"))
		w.WriteHeader(302)
	case "/bytes":
		n, _ := strconv.Atoi(r.URL.Query().Get("n"))
		for i := range n {
			w.Write([]byte{byte(i)})
		}
	case "/big":
		n, _ := strconv.Atoi(r.URL.Query().Get("n"))
		if c := r.URL.Query().Get("c"); c != "" {
			w.Header().Set("Content-Type", "text/plain; charset="+c)
		}
		io.Copy(w, io.LimitReader(counter{new(int)}, int64(n)))
	case "/charset":
		w.Header().Set("Content-Type", "text/plain; charset="+r.URL.Query().Get("c"))
		w.Write([]byte{0xe9, 0xa4, 0xb9})
	case "/raw":
		w.Header().Set("Content-Type", "text/plain")
		w.Write([]byte(r.URL.Query().Get("b")))
	case "/bomb":
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		block := make([]byte, 1<<20)
		for range 64 {
			if _, err := z.Write(block); err != nil {
				return
			}
		}
		z.Close()
	}
}

// counter gives the letters a to z again and again.
type counter struct{ at *int }

func (c counter) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a' + byte(*c.at%26)
		*c.at++
	}
	return len(p), nil
}

func TestFetch(t *testing.T) {
	leak.Check(t)
	for name, tt := range map[string]struct{ code, want string }{
		"json":                    {`const d = (await fetch("http://a.test/json")).json(); return [d.a[2].b, d.n, Array.isArray(d.a)]`, `["é",1.5,true]`},
		"awaited reader":          {`const r = await fetch("http://a.test/json"); return (await r.json()).n + (await r.json()).n`, `3`},
		"a real promise":          {`return fetch("http://a.test/text") instanceof Promise`, `true`},
		"then":                    {`return fetch("http://a.test/text").then(r => r.text())`, `"0123456789"`},
		"in parallel":             {`return (await Promise.all(["text", "status?s=204"].map(p => fetch("http://a.test/" + p)))).map(r => r.status)`, `[200,204]`},
		"members":                 {`const r = await fetch("http://a.test/text"); return [r.status, r.ok, r.statusText, r.url, r.contentType, r.truncated, r.nextStartIndex, r.bodyUsed, r.redirected]`, `[200,true,"OK","http://a.test/text","text/plain; charset=utf-8",false,null,false,false]`},
		"no content type":         {`return (await fetch("http://a.test/status?s=204")).contentType`, `null`},
		"not ok":                  {`const r = await fetch("http://a.test/status?s=404"); return [r.status, r.ok, r.statusText]`, `[404,false,"Not Found"]`},
		"status texts":            {`const out = []; for (const s of [200,201,204,301,302,304,400,401,403,404,500,502,503,418]) out.push((await fetch("http://a.test/status?s=" + s)).statusText); return out`, `["OK","Created","No Content","Moved Permanently","Found","Not Modified","Bad Request","Unauthorized","Forbidden","Not Found","Internal Server Error","Bad Gateway","Service Unavailable",""]`},
		"redirected":              {`const r = await fetch("http://a.test/go?to=/text"); return [r.url, r.redirected, r.text()]`, `["http://a.test/text",true,"0123456789"]`},
		"methods":                 {`const r = await fetch("http://a.test/echo", {method: "post", body: "x"}); return r.text()`, `"POST a.test /echo|text/plain;charset=UTF-8|x"`},
		"own content type":        {`const r = await fetch("http://a.test/echo", {method: "PUT", body: "x", headers: {"content-type": "a/b"}}); return r.text()`, `"PUT a.test /echo|a/b|x"`},
		"no body on GET":          {`return (await fetch("http://a.test/echo", {body: "x"})).text()`, `"GET a.test /echo||"`},
		"body of text":            {`return (await fetch("http://a.test/echo", {method: "POST", body: "é\ud83d\ude00\ud800"})).text()`, `"POST a.test /echo|text/plain;charset=UTF-8|é😀�"`},
		"body of bytes":           {`return (await fetch("http://a.test/echo", {method: "POST", body: [104, 105, 289]})).text()`, `"POST a.test /echo||hi!"`},
		"body of a typed array":   {`return (await fetch("http://a.test/echo", {method: "POST", body: new Uint8Array([120, 104, 105, 120]).subarray(1, 3)})).text()`, `"POST a.test /echo||hi"`},
		"body of wide elements":   {`return (await fetch("http://a.test/echo", {method: "POST", body: new Uint16Array([0x6968, 0x2121])})).text()`, `"POST a.test /echo||hi!!"`},
		"body of a buffer":        {`return (await fetch("http://a.test/echo", {method: "POST", body: new Uint8Array([104, 105]).buffer})).text()`, `"POST a.test /echo||hi"`},
		"body of an object":       {`return (await fetch("http://a.test/echo", {method: "POST", body: {a: 1}})).text()`, `"POST a.test /echo||"`},
		"body of a number":        {`return (await fetch("http://a.test/echo", {method: "POST", body: 5})).text()`, `"POST a.test /echo||"`},
		"body of parameters":      {`const p = {toString() { return "a=b" }, [Symbol.toStringTag]: "URLSearchParams"}; return (await fetch("http://a.test/echo", {method: "POST", body: p})).text()`, `"POST a.test /echo|application/x-www-form-urlencoded;charset=UTF-8|a=b"`},
		"URL object":              {`return (await fetch({toString() { return "http://a.test/text" }})).text()`, `"0123456789"`},
		"headers":                 {`return (await fetch("http://a.test/header?n=X-A", {headers: {"X-A": "1"}})).text()`, `"1"`},
		"header of a number":      {`return (await fetch("http://a.test/header?n=X-A", {headers: {"X-A": 1}})).text()`, `"1"`},
		"header pairs":            {`return (await fetch("http://a.test/header?n=X-A", {headers: [["X-A", "1"], ["x-a", "2"]]})).text()`, `"1,2"`},
		"header map":              {`return (await fetch("http://a.test/header?n=X-A", {headers: new Map([["X-A", "1"]])})).text()`, `"1"`},
		"stripped headers":        {`return (await fetch("http://a.test/echo", {headers: {Host: "inner.test", Connection: "close", "content-length": "9", "Proxy-X": "1"}})).text()`, `"GET a.test /echo||"`},
		"accept-encoding":         {`return (await fetch("http://a.test/header?n=Accept-Encoding", {headers: {"accept-encoding": "br"}})).text()`, `"gzip"`},
		"response headers":        {`const h = (await fetch("http://a.test/echo")).headers; return [h.get("X-TWO"), h.get("none"), h.has("x-two"), h.has("none")]`, `["a, b",null,true,false]`},
		"headers in order":        {`const h = (await fetch("http://a.test/echo")).headers; return [[...h.keys()].includes("x-two"), [...h.values()].includes("a, b"), [...h.entries()].filter(([n]) => n[0] == "x"), [...h].length == [...h.keys()].length, new Map(h).get("x-two")]`, `[true,true,[["x-two","a, b"]],true,"a, b"]`},
		"headers forEach":         {`const out = []; const h = (await fetch("http://a.test/echo")).headers; h.forEach(function (v, n, all) { if (n == "x-two") out.push(v, n, all === h, this.t) }, {t: 1}); return out`, `["a, b","x-two",true,1]`},
		"destructured":            {`const {json, headers: {get}} = await fetch("http://a.test/json"); return [json().n, get("content-type")]`, `[1.5,"application/json"]`},
		"arrayBuffer":             {`const r = await fetch("http://a.test/bytes?n=300"); const b = r.arrayBuffer(), c = r.arrayBuffer(); const u = new Uint8Array(b); u[0] = 9; return [b.byteLength, u[255], u[256], new Uint8Array(c)[0], b === c]`, `[300,255,0,0,false]`},
		"window":                  {`const r = await fetch("http://a.test/text", {startIndex: 2, maxLength: 3}); return [r.text(), r.truncated, r.nextStartIndex]`, `["234",true,5]`},
		"window to the end":       {`const r = await fetch("http://a.test/text", {startIndex: 7, maxLength: 3}); return [r.text(), r.truncated, r.nextStartIndex]`, `["789",false,null]`},
		"window from":             {`const r = await fetch("http://a.test/text", {startIndex: 4}); return [r.text(), r.truncated, r.nextStartIndex]`, `["456789",false,null]`},
		"window behind the end":   {`const r = await fetch("http://a.test/text", {startIndex: 40, maxLength: 3}); return [r.text(), r.truncated, r.nextStartIndex]`, `["",false,null]`},
		"window of nonsense":      {`const r = await fetch("http://a.test/text", {startIndex: -4, maxLength: "x"}); return [r.text(), r.truncated]`, `["0123456789",false]`},
		"window of a huge body":   {`const r = await fetch("http://a.test/big?n=100000000", {maxLength: 26}); return [r.text(), r.truncated]`, `["abcdefghijklmnopqrstuvwxyz",true]`},
		"body in parts":           {`const r = await fetch("http://a.test/big?n=10000000"); const t = r.text(); return [t.length, t.slice(3145726, 3145732), t.at(-1), r.arrayBuffer().byteLength]`, `[10000000,"` + letters(3145726, 6) + `","` + letters(9999999, 1) + `",10000000]`},
		"upload in parts":         {`const r = await fetch("http://a.test/echo", {method: "POST", body: "x".repeat(7000000)}); return r.text().length`, `7000043`},
		"upload again":            {`for (let i = 0; i < 2; i++) await fetch("http://a.test/echo", {method: "POST", body: "x".repeat(4000000)}); return (await fetch("http://a.test/echo", {method: "POST", body: "y"})).text()`, `"POST a.test /echo|text/plain;charset=UTF-8|y"`},
		"latin 1":                 {`return (await fetch("http://a.test/charset?c=ISO-8859-1")).text()`, `"é¤¹"`},
		"windows 1251":            {`return (await fetch("http://a.test/charset?c=windows-1251")).text()`, `"й¤№"`},
		"shift JIS":               {`return (await fetch("http://a.test/charset?c=Shift_JIS")).text()`, `"鬢ｹ"`},
		"shift JIS in parts":      {`const r = await fetch("http://a.test/big?n=4000000&c=Shift_JIS"); const t = r.text(); return [t.length, t.at(-1), r.text() === t, r.arrayBuffer().byteLength]`, `[4000000,"` + letters(3999999, 1) + `",true,4000000]`},
		"bytes of shift JIS":      {`const r = await fetch("http://a.test/charset?c=Shift_JIS"); return [r.arrayBuffer().byteLength, r.text(), r.text()]`, `[3,"鬢ｹ","鬢ｹ"]`},
		"UTF-16":                  {`return (await fetch("http://a.test/charset?c=utf-16")).text()`, `"ꓩ�"`},
		"UTF-8":                   {`return (await fetch("http://a.test/charset?c=UTF-8")).text()`, `"餹"`},
		"unknown charset":         {`return (await fetch("http://a.test/charset?c=nonsense")).text()`, `"餹"`},
		"byte order mark":         {`return (await fetch("http://a.test/raw?b=%EF%BB%BF[1]")).json()`, `[1]`},
		"broken UTF-8":            {`return (await fetch("http://a.test/raw?b=a%E2%82b%F0%9F%98%FF%C0%80%ED%A0%80c")).text()`, `"a�b�������c"`},
		"gzip bomb":               {`return (await fetch("http://a.test/bomb")).text()`, "SECURITY response-body-too-large"},
		"gzip bomb, first bytes":  {`return (await fetch("http://a.test/bomb", {maxLength: 5})).arrayBuffer().byteLength`, "5"},
		"no URL":                  {`return fetch()`, "INVALID_INPUT missing-url"},
		"null":                    {`return fetch(null)`, "INVALID_INPUT missing-url"},
		"empty":                   {`return fetch("")`, "INVALID_INPUT missing-url"},
		"symbol":                  {`return fetch(Symbol("x"))`, "INVALID_INPUT invalid-url"},
		"relative":                {`return fetch("/x")`, "INVALID_INPUT invalid-url"},
		"no host":                 {`return fetch("http://")`, "INVALID_INPUT missing-host"},
		"scheme":                  {`return fetch("file:///etc/passwd")`, "SECURITY unsupported-scheme"},
		"private":                 {`return fetch("http://10.0.0.1/")`, "SECURITY literal-private-ip"},
		"redirect to private":     {`return fetch("http://a.test/go?to=http://10.0.0.1/")`, "SECURITY literal-private-ip"},
		"long URL":                {`return fetch("http://a.test/" + "x".repeat(70000))`, "INVALID_INPUT invalid-url"},
		"odd method":              {`return fetch("http://a.test/", {method: "G T"})`, "INVALID_INPUT invalid-method"},
		"long method":             {`return fetch("http://a.test/", {method: "x".repeat(99)})`, "INVALID_INPUT invalid-method"},
		"CONNECT":                 {`return fetch("http://a.test/", {method: "connect"})`, "INVALID_INPUT invalid-method"},
		"line end in a header":    {`return fetch("http://a.test/", {headers: {a: "b\r\nc: d"}})`, "INVALID_INPUT invalid-header"},
		"header of an object":     {`return fetch("http://a.test/", {headers: {a: {}}})`, "INVALID_INPUT invalid-header"},
		"header of null":          {`return fetch("http://a.test/", {headers: {a: null}})`, "INVALID_INPUT invalid-header"},
		"header name":             {`return fetch("http://a.test/", {headers: {"a b": "c"}})`, "INVALID_INPUT invalid-header"},
		"headers of a string":     {`return fetch("http://a.test/", {headers: "a: b"})`, "INVALID_INPUT invalid-header"},
		"headers of no pairs":     {`return fetch("http://a.test/", {headers: [1]})`, "INVALID_INPUT invalid-header"},
		"headers of half pairs":   {`return fetch("http://a.test/", {headers: [[]]})`, "INVALID_INPUT invalid-header"},
		"too many headers":        {`return fetch("http://a.test/", {headers: Array.from({length: 101}, (_, i) => ["a" + i, "b"])})`, "INVALID_INPUT invalid-header"},
		"endless headers":         {`return fetch("http://a.test/", {headers: (function* () { for (;;) yield ["a", "b"] })()})`, "INVALID_INPUT invalid-header"},
		"long header":             {`return fetch("http://a.test/", {headers: {a: "b".repeat(70000)}})`, "INVALID_INPUT invalid-header"},
		"long headers":            {`return fetch("http://a.test/", {headers: {a: "b".repeat(60000), c: "d".repeat(60000)}})`, "INVALID_INPUT invalid-header"},
		"body too large":          {`return fetch("http://a.test/", {method: "POST", body: "x".repeat(10485761)})`, "RESOURCE_LIMIT request-body-too-large"},
		"body too large in UTF-8": {`return fetch("http://a.test/", {method: "POST", body: "é".repeat(6000000)})`, "RESOURCE_LIMIT request-body-too-large"},
		"bytes too many":          {`return fetch("http://a.test/", {method: "POST", body: {__proto__: [], length: 5}}).then(() => fetch("http://a.test/", {method: "POST", body: Array(20000000)}))`, "RESOURCE_LIMIT request-body-too-large"},
		"not JSON":                {`return (await fetch("http://a.test/text?x", {maxLength: 3, startIndex: 0})).json() + (await fetch("http://a.test/echo")).json()`, "HELPER_RUNTIME invalid-json"},
		"JSON cut off":            {`return (await fetch("http://a.test/json", {maxLength: 10})).json()`, "HELPER_RUNTIME invalid-json"},
		"deep JSON":               {`return (await fetch("http://a.test/raw?b=" + "[".repeat(3000))).json()`, "HELPER_RUNTIME invalid-json"},
		"deep in a string":        {`return (await fetch("http://a.test/raw?b=" + encodeURIComponent(JSON.stringify("\"\\" + "[".repeat(3000))))).json().length`, "3002"},
		"caught":                  {`try { await fetch("http://10.0.0.1/") } catch (e) { return [e instanceof Error, e instanceof TypeError, e.name, e.kind, e.helper, e.reason, e.message, String(e)] }`, `[true,false,"SafetyError","SECURITY","fetch","literal-private-ip","[fetch] denied: \"10.0.0.1\" is an address that is not public","SafetyError: [fetch] denied: \"10.0.0.1\" is an address that is not public"]`},
		"does not throw at once":  {`let p; try { p = fetch("http://10.0.0.1/") } catch (e) { return "thrown" } return p.catch(e => e.reason)`, `"literal-private-ip"`},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tt.want, newWorld(t, site, nil).run(tt.code))
		})
	}
}

func letters(from, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = 'a' + byte((from+i)%26)
	}
	return string(b)
}

// A secret that was sent by its handle does not come back to the code.
func TestEchoedSecret(t *testing.T) {
	w := newWorld(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Echo", r.Header.Get("X-Key"))
		io.WriteString(w, "your key is "+r.Header.Get("X-Key"))
	}, func(p *egress.Policy, o *egress.Options) {
		p.OperatorHosts = []string{"a.test"}
		o.Call = egress.CallOptions{Secrets: []egress.Secret{{Name: "K", Hosts: []string{"a.test"}}}, Lookup: secret.Map(map[string]string{"K": "value-of-k"})}
	})
	assert.Equal(t, `["your key is ***","***"]`, w.run(`
		const r = await fetch("http://a.test/", {headers: {"x-key": "{{secret:K}}"}});
		return [r.text(), r.headers.get("x-echo")]`))
	assert.Equal(t, "SECURITY secret-host", w.run(`return fetch("http://b.test/", {headers: {"x-key": "{{secret:K}}"}})`))
}

// What a run was refused is listed, caught or not.
func TestDenials(t *testing.T) {
	w := newWorld(t, site, nil)
	w.run(`await fetch("http://10.0.0.1/").catch(() => 0); await fetch("http://a.test/go?to=file:///x").catch(() => 0); await fetch("").catch(() => 0); await fetch("http://0x7f.1/").catch(() => 0)`)
	assert.Equal(t, []activity.Denial{
		{Component: "fetch", Reason: "literal-private-ip", Detail: "10.0.0.1 -> 10.0.0.1"},
		{Component: "fetch", Reason: "unsupported-scheme", Detail: `the scheme "file" is not http or https`},
		{Component: "fetch", Reason: "literal-private-ip", Detail: `"0x7f.1" is no plain address; write it as four numbers or as plain IPv6`},
	}, w.service.Denials())
}

func TestBudget(t *testing.T) {
	w := newWorld(t, site, func(_ *egress.Policy, o *egress.Options) { o.Limits = egress.Limits{Requests: 3} })
	assert.Equal(t, "RESOURCE_LIMIT request-budget", w.run(`for (;;) await fetch("http://a.test/text")`))
	w = newWorld(t, site, func(_ *egress.Policy, o *egress.Options) { o.Limits = egress.Limits{Requests: 3} })
	assert.Equal(t, "RESOURCE_LIMIT request-budget", w.run(`for (;;) try { await fetch("file:///x") } catch (e) { if (e.kind != "SECURITY") throw e }`))
	assert.Len(t, w.service.Denials(), 3)
}

// Code that has changed everything it can reach changes nothing but itself.
func TestPatchedRuntime(t *testing.T) {
	const patch = `
		Error = TypeError = Array = String = Object = Promise = Symbol = undefined;
	`
	w := newWorld(t, site, nil)
	assert.Equal(t, `["0123456789","SafetyError","text/plain; charset=utf-8"]`, w.run(patch+`
		const r = await fetch("http://a.test/text");
		let name; try { await fetch("http://10.0.0.1/") } catch (e) { name = e.name }
		return [r.text(), name, r.headers.get("Content-Type")]`))

	w = newWorld(t, site, nil)
	assert.Equal(t, `"0123456789 SafetyError "`, w.run(`
		let hit = "";
		for (const p of [Object.prototype, Array.prototype, String.prototype, Error.prototype, TypeError.prototype, Function.prototype])
			for (const n of ["0", "1", "length", "status", "url", "text", "message", "name", "kind", "reason", "toString", "valueOf", "join", "get", "value", "toJSON", "id", "helper"])
				try { Object.defineProperty(p, n, {configurable: true, get() { hit += n; return undefined }, set() { hit += "set " + n }}) } catch (e) {}
		hit = ""; // of what defineProperty itself reads
		const r = await fetch("http://a.test/text", {__proto__: null});
		let name; try { await fetch("http://10.0.0.1/", {__proto__: null}) } catch (e) { name = e.name }
		return r.text() + " " + name + " " + hit`))
}

// Arguments that are code of their own throw, and that is what code sees.
func TestHostileArguments(t *testing.T) {
	for name, tt := range map[string]struct{ code, want string }{
		"toString throws":      {`return fetch({toString() { throw new RangeError("u") }})`, "RangeError: u"},
		"toString gives none":  {`return fetch({toString() { return {} }, valueOf() { return {} }})`, "TypeError"},
		"getter throws":        {`return fetch("http://a.test/", {get method() { throw new RangeError("m") }})`, "RangeError: m"},
		"header getter throws": {`return fetch("http://a.test/", {headers: {get a() { throw new RangeError("h") }}})`, "RangeError: h"},
		"iterator throws":      {`return fetch("http://a.test/", {headers: {[Symbol.iterator]() { throw new RangeError("i") }}})`, "RangeError: i"},
		"body getter throws":   {`return fetch("http://a.test/", {method: "POST", get body() { throw new RangeError("b") }})`, "RangeError: b"},
		"element throws":       {`return fetch("http://a.test/", {method: "POST", body: Object.defineProperty([1], "0", {get() { throw new RangeError("e") }})})`, "RangeError: e"},
		"element of BigInt":    {`return fetch("http://a.test/", {method: "POST", body: [1n]})`, "TypeError: Cannot convert a BigInt value to a number"},
		"proxy":                {`return fetch("http://a.test/", new Proxy({}, {get(_, n) { throw new RangeError(String(n)) }}))`, "RangeError: method"},
		"revoked proxy":        {`const {proxy, revoke} = Proxy.revocable({}, {}); revoke(); return fetch(proxy)`, "TypeError"},
		"revoked body":         {`const {proxy, revoke} = Proxy.revocable([], {}); revoke(); return fetch("http://a.test/", {method: "POST", body: proxy})`, "TypeError"},
		"index of BigInt":      {`return fetch("http://a.test/", {maxLength: 1n})`, "TypeError"},
		"callback throws":      {`(await fetch("http://a.test/echo")).headers.forEach(() => { throw new RangeError("c") })`, "RangeError: c"},
		"no callback":          {`(await fetch("http://a.test/echo")).headers.forEach(1)`, "TypeError: headers.forEach takes a function"},
		"JSON.parse is gone":   {`const r = await fetch("http://a.test/json"); JSON.parse = 1; r.json()`, "TypeError: JSON.parse is not a function"},
		"endless recursion":    {`const o = {toString() { return fetch(o) && "x" }}; return fetch(o)`, "stack"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, site, nil)
			w.vm.SetMaxCallStackSize(200)
			if tt.want == "stack" {
				_, err := w.vm.RunString("(async function () {" + tt.code + "})()")
				var overflow *goja.StackOverflowError
				assert.ErrorAs(t, err, &overflow)
				return
			}
			got := w.run(tt.code)
			assert.True(t, strings.HasPrefix(got, tt.want), got)
		})
	}
}

// The end of a run goes through fetch and its readers like through anything.
func TestInterrupt(t *testing.T) {
	for name, code := range map[string]string{
		"argument": `fetch({toString() { stop(); for (;;); }}).catch(() => 0)`,
		"callback": `(await fetch("http://a.test/echo")).headers.forEach(() => { stop(); for (;;); })`,
		"parse":    `JSON.parse = () => { stop(); for (;;); }; try { (await fetch("http://a.test/json")).json() } catch (e) {}`,
	} {
		w := newWorld(t, site, nil)
		require.NoError(t, w.vm.Set("stop", func(goja.FunctionCall) goja.Value { w.vm.Interrupt("over"); return nil }))
		_, err := w.vm.RunString("(async function () {" + code + "})()")
		var interrupted *goja.InterruptedError
		assert.ErrorAs(t, err, &interrupted, name)
	}

	w := newWorld(t, site, nil)
	vm := goja.New()
	asked := 0
	require.NoError(t, fetch.Install(vm, fetch.Options{Call: func(r hostcall.Request) (hostcall.Reply, *toolspec.CallError) { return w.service.Serve(t.Context(), r) },
		Stopped: func() bool { asked++; return asked == 3 }}))
	v, err := vm.RunString(`fetch("http://a.test/", {method: "POST", body: Array(9000000)}).catch(e => e.reason)`)
	require.NoError(t, err)
	assert.Equal(t, "interrupted", v.Export().(*goja.Promise).Result().String())
}

// A host that says nonsense is an error, not a panic.
func TestNonsenseFromTheHost(t *testing.T) {
	for name, reply := range map[string]hostcall.Reply{
		"nothing":       {},
		"no JSON":       {Value: []byte("{")},
		"too much data": {Value: []byte(`{"size":1}`), Data: []byte("ab")},
		"huge size":     {Value: []byte(`{"size":99999999999}`)},
		"ends early":    {Value: []byte(`{"size":9,"id":1}`), Data: []byte("ab")},
	} {
		vm := goja.New()
		first := true
		require.NoError(t, fetch.Install(vm, fetch.Options{Call: func(hostcall.Request) (hostcall.Reply, *toolspec.CallError) {
			if first {
				first = false
				return reply, nil
			}
			return hostcall.Reply{}, nil
		}}))
		v, err := vm.RunString(`fetch("http://a.test/").then(r => r.text()).catch(e => e.kind + " " + e.reason)`)
		require.NoError(t, err)
		assert.Equal(t, "HELPER_RUNTIME io", v.Export().(*goja.Promise).Result().String(), name)
	}
}

func TestInstalled(t *testing.T) {
	w := newWorld(t, site, nil)
	assert.Equal(t, `["function","fetch",false,false]`, w.run(`
		const d = Object.getOwnPropertyDescriptor(globalThis, "fetch");
		return [typeof fetch, fetch.name, d.enumerable, d.writable]`))
	assert.Empty(t, w.ops)
	sealed := goja.New()
	_, err := sealed.RunString("Object.freeze(globalThis)")
	require.NoError(t, err)
	assert.Error(t, fetch.Install(sealed, fetch.Options{}))
}
