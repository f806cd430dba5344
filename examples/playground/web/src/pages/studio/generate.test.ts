import { describe, expect, test } from "vitest";
import { fromNames, fromSchema, type Generated } from "./generate";
import { argument, blank, hostsIn } from "./spec";

describe("parameters of a schema", () => {
  const made = (schema: unknown) => fromSchema(schema) as Generated;
  test("have types, descriptions and test values", () => {
    const { params, lost } = made({
      type: "object",
      required: ["city"],
      properties: {
        city: { type: "string", description: "The city.", examples: ["Seoul"] },
        days: { type: ["integer", "null"], default: 3 },
        unit: { enum: ["C", "F"], description: "Of the temperature." },
        tags: { items: { type: "string" } },
      },
    });
    expect(lost).toEqual([]);
    expect(params).toEqual([
      { name: "city", type: "STRING", required: true, description: "The city.", testValue: "Seoul" },
      { name: "days", type: "INTEGER", required: false, description: "", testValue: "3" },
      {
        name: "unit",
        type: "STRING",
        required: false,
        description: "Of the temperature. One of C, F.",
        testValue: "C",
      },
      { name: "tags", type: "ARRAY", required: false, description: "" },
    ]);
  });
  test("are found in a whole tool", () => {
    const schema = { type: "object", properties: { n: { type: "number" } } };
    expect(made({ name: "t", inputSchema: schema }).params).toHaveLength(1);
    expect(made({ name: "t", parameters: schema }).params).toHaveLength(1);
  });
  test("name what they cannot say", () => {
    expect(
      made({ properties: { "a-b": {}, c: { type: "string", pattern: "x", minLength: 1 } } }).lost,
    ).toEqual(["a-b: no name that code can use", "c: pattern", "c: minLength"]);
  });
  test.each([null, [], "text", { type: "array" }, { type: "object", properties: {} }])(
    "%j is none",
    (schema) => expect(typeof fromSchema(schema)).toBe("string"),
  );
});

describe("parameters of code", () => {
  const guess = (code: string, names: string[]) =>
    fromNames(names, { ...blank(), code }).map((p) => p.name + " " + p.type);
  test("have the type that their use shows", () => {
    expect(guess("return list.map(x => x.trim() + n * 2)", ["list", "n"])).toEqual([
      "list ARRAY",
      "n NUMBER",
    ]);
    expect(guess("if (!loud) return text.toUpperCase()", ["loud", "text"])).toEqual([
      "loud BOOLEAN",
      "text STRING",
    ]);
    expect(guess("for (const k of Object.keys(o)) use(k)", ["o"])).toEqual(["o OBJECT"]);
  });
  test("have the type that a comment says", () => {
    const code = "/** @param {number} n How often. */\nreturn n.map(String)";
    expect(fromNames(["n"], { ...blank(), code })[0]).toMatchObject({
      type: "NUMBER",
      description: "How often.",
    });
  });
  test("are none that are declared", () => {
    const spec = {
      ...blank(),
      params: [{ name: "a", type: "STRING", description: "", required: true }],
      code: "a+b",
    };
    expect(fromNames(["a", "b"], spec).map((p) => p.name)).toEqual(["b"]);
  });
});

describe("an argument that is typed", () => {
  test.each([
    ["STRING", "1", { value: "1" }],
    ["INTEGER", "12", { value: 12 }],
    ["NUMBER", "1.5", { value: 1.5 }],
    ["BOOLEAN", "true", { value: true }],
    ["ARRAY", "[1,2]", { value: [1, 2] }],
    ["OBJECT", '{"a":1}', { value: { a: 1 } }],
  ])("%s %j", (type, text, want) => expect(argument(type, text)).toEqual(want));
  test.each([
    ["INTEGER", "1.5"],
    ["NUMBER", "many"],
    ["BOOLEAN", "yes"],
    ["ARRAY", "{}"],
    ["OBJECT", "[]"],
    ["OBJECT", "{"],
  ])("%s %j is refused", (type, text) => expect(argument(type, text)).toHaveProperty("error"));
});

test("hosts are found in code", () => {
  expect(hostsIn("fetch('https://api.test/x'); fetch(`http://b.test:81/`)")).toEqual(
    expect.arrayContaining([expect.stringContaining("api.test"), expect.stringContaining("b.test")]),
  );
});
