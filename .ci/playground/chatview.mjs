// How a turn reads: code in colours, formulas, diagrams, footnotes, links, and
// what hostile texts try with each of them.
import { axe, check, equal, id, Playground, same, scenario, shot, until } from "./world.mjs";
import { close, say } from "./chat.mjs";
import { FakeModel } from "./fakemodel.mjs";
import { hostile } from "./hostiletexts.mjs";

const rich = [
  "## A tour of what an answer may hold\n\nSome Go, in colours:\n\n",
  "```go\n// Double gives twice of n.\nfunc Double(n int) (int, error) {\n\tif n > 1<<30 {\n\t\treturn 0, fmt.Errorf(\"%d is too large\", n)\n\t}\n\treturn 2 * n, nil\n}\n```\n\n",
  "and a language that nobody knows:\n\n```klingon\nqapla' 42\n```\n\n",
  "1. In a list, too:\n\n   ```json\n   { \"n\": 42, \"deep\": [true, null] }\n   ```\n\n2. The end of the list.\n\n",
  "Euler found $e^{i\\pi} + 1 = 0$, and \\(a^2 + b^2 = c^2\\) is older. It costs $5 and $6, or $20/month to $30/month.\n\n",
  "$$\n\\sum_{k=1}^{n} k = \\frac{n(n+1)}{2}\n$$\n\n\\[ \\int_0^1 x^2 \\, dx = \\tfrac13 \\]\n\n",
  "This is broken: $\\frac{1$ and this is forbidden: $\\href{http://evil.test}{x}$.\n\n",
  "A claim[^one], another[^note], the first again[^one], and one that is not explained[^none].\n\n",
  "[^note]: The **second** note, with `code`\n    and a second line.\n[^one]: The first note.\n\n",
  "[good.test](https://evil.test/x), [a page](https://good.test/y), https://good.test/z and [evil.test](https://evil.test).\n\n",
  "![a chart](https://pictures.test/chart.png?q=1)\n\n![a dot](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==)\n\n",
  "| name | meaning | " + Array.from({ length: 14 }, (_, i) => "column " + i).join(" | ") + " |\n|" + "---|".repeat(16) + "\n| n | a number | " + "value | ".repeat(14) + "\n\n",
  "هذا نص من اليمين إلى اليسار.\n\nThe end.",
];

const flow = "```mermaid\nflowchart LR\n  A[Author] --> B{Pass?}\n  B -- yes --> C[Publish]\n  B -- no --> A\n```\n\nThat was it.";

export async function chatView() {
  const model = await new FakeModel().start();
  const p = await new Playground("chatview", { args: ["-profile", "compatible", "-base-url", model.url] }).start();
  const again = async (page) => {
    await page.reload();
    await id(page, "turn-usage").last().waitFor();
  };

  await scenario("md1", "code has its colours, its language, Copy and Wrap; what is unknown stays plain", async () => {
    model.say = () => rich;
    model.pause = 5;
    const page = await p.page("/chat");
    await say(page, "a tour");
    await until("it is coloured while the page stays", () => page.locator('[data-lang="go"] .hl-keyword').count());
    await p.stop();
    await p.start();
    await page.goto(p.url + new URL(page.url()).pathname);
    await until("three blocks", async () => (await id(page, "code-block").count()) === 3);
    await until("coloured", () => page.locator('[data-lang="go"] .hl-keyword').count());
    await until("in the list, too", () => page.locator('li [data-lang="json"] .hl-number').count());
    await same(() => page.locator('[data-lang="klingon"] [class^="hl-"]').count(), 0, "colours of an unknown language");
    await same(() => id(page, "code-lang").allTextContents(), ["go", "klingon", "json"], "the names");
    const go = id(page, "code-block", '[data-lang="go"]');
    await go.locator('[data-testid="code-copy"]').click();
    await until("what was copied", async () => (await page.evaluate(() => navigator.clipboard.readText())).startsWith("// Double gives twice of n.\nfunc Double"));
    await go.locator('[data-testid="code-wrap"]').press("Enter");
    await same(() => go.locator("pre").evaluate((e) => getComputedStyle(e).whiteSpace), "pre-wrap", "wrapped");
    await same(() => go.locator('[data-testid="code-wrap"]').getAttribute("aria-pressed"), "true", "the button says so");
    for (const scheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme: scheme });
      equal(await axe(page), [], "axe, " + scheme);
      await id(page, "chat-log").evaluate((e) => e.scrollTo(0, 0));
      await shot(page, "view-top-" + scheme);
      await id(page, "chat-log").evaluate((e) => e.scrollTo(0, e.scrollHeight));
      await shot(page, "view-end-" + scheme);
    }
    await page.setViewportSize({ width: 360, height: 780 });
    await id(page, "chat-log").evaluate((e) => e.scrollTo(0, 0));
    await shot(page, "view-top-360");
    await id(page, "chat-log").evaluate((e) => e.scrollTo(0, e.scrollHeight));
    await shot(page, "view-end-360");
    await until("the page does not scroll sideways", () => page.evaluate(() => document.documentElement.scrollWidth <= 360));
    await until("nor does the conversation", () => page.evaluate(() => { const l = document.querySelector('[data-testid="chat-log"]'); return l.scrollWidth <= l.clientWidth; }));
    await close(page);
  });

  await scenario("md2", "formulas are MathML; prices stay prices; what is broken or forbidden shows its source", async () => {
    model.say = () => rich;
    model.pause = 0;
    const page = await p.page("/chat");
    await say(page, "formulas");
    await again(page);
    await until("four formulas", async () => (await id(page, "math", '[data-state="shown"]').count()) === 4);
    await same(() => page.locator(".md math").count(), 4, "math elements");
    await same(() => page.locator('.md math[display="block"]').count(), 2, "of their own line");
    await same(() => id(page, "math", '[data-state="source"]').allTextContents(), ["$\\frac{1$", "$\\href{http://evil.test}{x}$"], "sources");
    await until("prices", async () => (await page.locator(".md").textContent()).includes("It costs $5 and $6, or $20/month to $30/month."));
    await same(() => page.locator(".md math :is(a, [href], [style], [id], annotation)").count(), 0, "what must not be in a formula");
    await close(page);
  });

  await scenario("md3", "footnotes stand at the end, in the order in which the text names them, and lead there and back", async () => {
    model.say = () => rich;
    model.pause = 2;
    const page = await p.page("/chat");
    await say(page, "notes");
    const whole = async () => {
      await until("formulas and colours are there", async () => (await page.locator(".md math").count()) === 4 && (await page.locator('[data-lang="json"] .hl-number').count()) > 0);
      return page.locator(".md").innerHTML();
    };
    const streamed = await whole();
    await again(page);
    const stored = await whole();
    check(streamed === stored, "the page as it was while it came: " + [...stored].findIndex((c, i) => c !== streamed[i]) + " " + stored.slice(0, 20_000).length);
    await same(() => id(page, "footnote-ref").allTextContents(), ["1", "2", "1"], "numbers");
    equal(await id(page, "footnotes").locator("li > div").allTextContents().then((all) => all.map((t) => t.trim().replace(/\s+/g, " "))), ["The first note.", "The second note, with code and a second line."], "notes");
    await until("a name without a note is text", async () => (await page.locator(".md").textContent()).includes("not explained[^none]"));
    const before = page.url();
    await id(page, "footnote-ref").nth(1).press("Enter");
    await until("the note has the keyboard", () => id(page, "footnotes").locator("li").nth(1).evaluate((e) => e === document.activeElement));
    await id(page, "footnote-back").nth(1).press("Enter");
    await until("and the text again", () => id(page, "footnote-ref").nth(1).evaluate((e) => e === document.activeElement));
    equal(page.url(), before, "the address");
    await close(page);
  });

  await scenario("md4", "links tell where they go; pictures of others ask first, and are never fetched here", async () => {
    model.say = () => rich;
    model.pause = 0;
    const page = await p.page("/chat");
    await say(page, "links");
    await again(page);
    const links = await id(page, "message-link").evaluateAll((all) => all.map((a) => [a.textContent, a.nextElementSibling?.dataset.testid === "message-link-host" ? a.nextElementSibling.textContent : "", a.target, a.rel]));
    equal(links, [["good.test", "(evil.test)", "_blank", "noopener noreferrer"], ["a page", "(good.test)", "_blank", "noopener noreferrer"], ["https://good.test/z", "", "_blank", "noopener noreferrer"], ["evil.test", "", "_blank", "noopener noreferrer"]], "links");
    await until("a picture that is in the text itself", () => id(page, "message-image").locator("img").evaluate((i) => i.decode().then(() => i.naturalWidth === 1)));
    const blocked = id(page, "blocked-image");
    await until("the placeholder", async () => /image from pictures\.test \(not loaded\): a chart/.test(await blocked.textContent()));
    // The tab that opens is of another host: it goes nowhere here.
    const opened = [];
    await page.context().route(/pictures\.test/, (r) => (opened.push(r.request().headers().referer ?? ""), r.abort()));
    await id(page, "blocked-image-open").press("Enter");
    await until("the whole address", async () => (await id(page, "outside-dialog").textContent()).includes("https://pictures.test/chart.png?q=1"));
    await shot(page, "view-outside");
    equal(opened, [], "requests before the answer");
    await id(page, "outside-cancel").click();
    equal(opened, [], "requests after a no");
    await id(page, "blocked-image-open").click();
    const [tab] = await Promise.all([page.context().waitForEvent("page"), id(page, "outside-open").click()]);
    await until("it was asked for", () => opened.length === 1);
    equal(opened, [""], "the referrer");
    await tab.close();
    await same(() => page.locator('.md img:not([src^="data:"])').count(), 0, "pictures of others in the page");
    await close(page);
  });

  await scenario("md5", "a diagram is drawn on request only, in a frame that can do nothing else", async () => {
    model.say = () => [flow];
    const page = await p.page("/chat");
    const asked = [];
    page.on("request", (r) => /diagram/.test(r.url()) && asked.push(new URL(r.url()).pathname));
    await say(page, "draw");
    await again(page);
    await id(page, "diagram-render").waitFor();
    equal(asked, [], "requests before anybody asked");
    await id(page, "diagram-render").press("Enter");
    await id(page, "diagram", '[data-state="drawn"]').waitFor();
    await same(() => id(page, "diagram-frame").getAttribute("sandbox"), "allow-scripts", "the sandbox");
    const frame = page.frames().find((f) => f.url().endsWith("/render/diagram"));
    await same(() => frame.locator("svg .node").count(), 3, "nodes");
    await same(() => frame.evaluate(() => origin), "null", "the origin of the frame");
    const policy = (await fetch(p.url + "/render/diagram")).headers.get("Content-Security-Policy");
    for (const part of ["sandbox allow-scripts;", "connect-src 'none'", "img-src 'none'", "frame-ancestors 'self'"]) check(policy.includes(part), part + " in " + policy);
    let height;
    await until(() => "its height: " + height, async () => (height = Number(await id(page, "diagram-frame").getAttribute("height"))) >= 60 && height <= 640);
    await shot(page, "view-diagram-light");
    await id(page, "diagram-hide").click();
    await page.emulateMedia({ colorScheme: "dark" });
    await id(page, "diagram-render").click();
    await id(page, "diagram", '[data-state="drawn"]').waitFor();
    await shot(page, "view-diagram-dark");
    equal(await axe(page), [], "axe");
    await close(page);
  });

  await scenario("md6", "hostile diagrams are refused, or do nothing", async () => {
    const bad = {
      "an unreadable one": ["flowchart LR\n  A --> ", "failed"],
      "a click that runs a script": ["flowchart LR\n  A[one] --> B[two]\n  click A call alert(1)\n  click B \"javascript:alert(1)\"", "failed"],
      "a link": ["flowchart LR\n  A[one] --> B[two]\n  click A \"http://evil.test/\" _blank", "drawn"],
      "HTML in a label": ["flowchart LR\n  A[\"<img src=x onerror=alert(1)>\"] --> B", "failed"],
      "a style that fetches": ["flowchart LR\n  A --> B\n  style A fill:url(http://evil.test/x)", "failed"],
      "a picture": ["flowchart LR\n  A@{ img: \"http://evil.test/x.png\", label: \"x\" }", "failed"],
      "an own configuration": ["%%{init: {\"securityLevel\": \"loose\", \"htmlLabels\": true, \"themeCSS\": \"* { background: red }\"}}%%\nflowchart LR\n  A[\"**one**\"] --> B", "drawn"],
      "too much": ["flowchart LR\n" + "  A --> B\n".repeat(3000), "failed"],
    };
    const page = await p.page("/chat");
    for (const [what, [text, end]] of Object.entries(bad)) {
      model.say = () => ["```mermaid\n" + text + "\n```\n\nDone."];
      await page.goto(p.url + "/chat");
      await say(page, what);
      await id(page, "diagram-render").click();
      const diagram = id(page, "diagram", ':is([data-state="drawn"], [data-state="failed"])');
      await diagram.waitFor();
      await same(() => diagram.getAttribute("data-state"), end, what);
      if (end === "failed") await until(what + ": it says why", async () => (await id(page, "diagram-error").textContent()).length > 40);
      else {
        const frame = page.frames().find((f) => f.url().endsWith("/render/diagram"));
        await same(() => frame.evaluate(() => document.querySelectorAll("script:not([src]), foreignObject, image, img, iframe, a[href], [onclick], [target]").length), 0, what + ": elements");
        await frame.locator("svg .node").first().click();
      }
    }
    await shot(page, "view-diagram-failed");
    equal(page.context().pages().length, 1, "tabs");
    await close(page);
  });

  await scenario("md7", hostile.length + " hostile texts: no script, no request, no violation", async () => {
    check(hostile.length >= 60, "there are " + hostile.length);
    const page = await p.page("/chat");
    page.on("dialog", (d) => (void d.dismiss(), check(false, "a dialog")));
    const left = [];
    const own = new URL(p.url);
    page.on("request", (r) => !/^(data|blob):/.test(r.url()) && !(r.url().startsWith(own.origin) && /^\/(api\/(home|meta|mcp|events|conversations|turns|approvals|settings|models|presets|tools)|assets|chat)/.test(new URL(r.url()).pathname)) && left.push(r.url()));
    const violated = [];
    page.on("console", (m) => m.type() === "error" && violated.push(m.text()));
    for (let i = 0; i < hostile.length; i += 16) {
      const some = hostile.slice(i, i + 16);
      model.say = () => some.flatMap((t) => [t.slice(0, t.length / 2), t.slice(t.length / 2), "\n\n---\n\n"]);
      await say(page, "speak " + i);
      const found = await page.evaluate(() => [...document.querySelectorAll(".md *")].filter((e) =>
        !e.closest("svg.ico") && (/^(script|style|iframe|form|input|svg|object|embed|link|meta|base|video|audio|textarea|template|foreignobject|mglyph|semantics|annotation|annotation-xml)$/i.test(e.localName) ||
        (e.localName === "img" && !/^data:image\//.test(e.src)) || [...e.attributes].some((a) => a.name.startsWith("on") || a.name === "style" || a.name === "srcdoc" || (/^(href|src|action|formaction|xlink:href)$/.test(a.name) && !/^(https?:|mailto:|#|data:image)/.test(a.value))))).map((e) => e.outerHTML.slice(0, 120)));
      equal(found, [], "elements that must not be, texts " + i);
      await until("a script ran in texts " + i, async () => !(await page.evaluate(() => "owned" in globalThis || document.title.includes("owned"))));
    }
    await again(page);
    await page.waitForTimeout(300);
    equal(left, [], "requests");
    equal(violated, [], "violations");
    await until("a script ran", async () => !(await page.evaluate(() => "owned" in globalThis || document.title.includes("owned"))));
    await shot(page, "view-hostile");
    await close(page);
  });

  await p.stop();
  await model.stop();
}
