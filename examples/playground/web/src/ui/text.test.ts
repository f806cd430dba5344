import { afterEach, expect, test } from "vitest";
import { texts, translation } from "./text";

const t = texts("notes", {
  hello: "Hello {name}.",
  "files.one": "{n} file",
  "files.other": "{n} files",
});
afterEach(() => void (translation.value = null));

test("a text takes values, and a value is not read again", () => {
  expect(t("hello", { name: "{name}" })).toBe("Hello {name}.");
  expect(t.parts("hello", { name: 7 })).toEqual(["Hello ", 7, "."]);
  expect(t.count("files", 1)).toBe("1 file");
  expect(t.count("files", 2000)).toBe("2,000 files");
  expect(t.list(["a", "b", "c"])).toBe("a, b, and c");
});

test("a translation stands in the place of the English text, and English where it has none", () => {
  translation.value = { code: "ko", texts: { notes: { hello: "{name} 님, 안녕하세요." } } };
  expect(t("hello", { name: "Ada" })).toBe("Ada 님, 안녕하세요.");
  expect(t.count("files", 1)).toBe("1 files");
});
