import { Lexer } from "marked";
import { describe, expect, test } from "vitest";
import { Blocks, openFence } from "./blocks";

const lex = (text: string) => new Lexer().lex(text);
const raws = (blocks: { tokens: { raw: string }[] }) => blocks.tokens.map((t) => t.raw).join("");
const words = (text: string) => text.split(/\s+/).join(" ").trim(); // the lexer may add a line break

const answer = `# Title

One paragraph
of two lines.

- a list
- of two

\`\`\`go
func main() {}
\`\`\`

See [the text][1] and a last line.

[1]: https://example.com
`;

describe("Blocks", () => {
  test("shows the text whole, wherever it is cut", () => {
    const blocks = new Blocks(lex);
    for (let end = 1; end <= answer.length; end++) {
      const part = answer.slice(0, end);
      const view = blocks.read(part, false);
      const code = view.code ? "```" + view.code.lang + " " + view.code.text : "";
      expect(words(raws(view) + code)).toBe(words(part));
    }
    expect(raws(blocks.read(answer, true))).toBe(answer);
  });

  test("reads each settled block once", () => {
    let read = 0;
    const blocks = new Blocks((text) => {
      read += text.length;
      return lex(text);
    });
    const paragraph = "Some words in a paragraph.\n\n";
    let text = "";
    for (let i = 0; i < 200; i++) blocks.read((text += paragraph), false);
    expect(read).toBeLessThan(20 * text.length);
  });

  test("does not read code before it is closed", () => {
    const blocks = new Blocks(lex);
    const view = blocks.read("Before\n\n```js\nlet a = 1;\nlet b", false);
    expect(view.code).toEqual({ lang: "js", text: "let a = 1;\nlet b" });
    expect(raws(view)).toBe("Before\n\n");
  });

  test("keeps the name of a block that stays", () => {
    const blocks = new Blocks(lex);
    const during = blocks.read("First\n\nSecond\n\nThird", false).names;
    expect(blocks.read("First\n\nSecond\n\nThird, grown", true).names).toEqual(during);
  });

  test("begins anew with another text", () => {
    const blocks = new Blocks(lex);
    blocks.read("One text", true);
    expect(raws(blocks.read("Another", true))).toBe("Another");
  });
});

describe("openFence", () => {
  test.each([
    ["no code", null],
    ["```\nclosed\n```\n", null],
    ["```", null],
    ["``` a `tick` is no fence\n", null],
  ])("%j is not open", (text, want) => expect(openFence(text)).toBe(want));
  test("finds the last one that is open, whatever stands in it", () => {
    expect(openFence("```\na\n```\n~~~py x\n```\n")).toMatchObject({ lang: "py", start: 10 });
  });
});
