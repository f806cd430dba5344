import { expect, test } from "vitest";
import { bodyOf, formOf, nameError, ofKind } from "./modelserver";

test("a form follows its provider until a person changes it", () => {
  const first = formOf(null);
  const second = ofKind(first, "ollama");
  expect([second.name, second.address]).toEqual(["my-ollama", "http://localhost:11434"]);
  const own = ofKind({ ...first, name: "work", address: "https://models.example/v1" }, "compatible");
  expect([own.name, own.address]).toEqual(["work", "https://models.example/v1"]);
});

test("a key is sent only when it was entered or is to go", () => {
  const f = formOf({
    name: "work",
    provider: "compatible",
    baseURL: "http://x/v1",
    key: "stored",
    editable: true,
  });
  expect(bodyOf(f)).toEqual({ provider: "compatible", baseURL: "http://x/v1" });
  expect(bodyOf({ ...f, key: " k ", dropKey: true, model: "m" })).toEqual({
    provider: "compatible",
    baseURL: "http://x/v1",
    key: "k",
    model: "m",
  });
  expect(bodyOf({ ...f, dropKey: true }).key).toBe("");
});

test("a name is free and well formed", () => {
  expect(nameError("work-1", ["home"])).toBeUndefined();
  for (const bad of ["", "a b", "x".repeat(41), "ollama", "home"])
    expect(nameError(bad, ["home"])).toBeTruthy();
});
