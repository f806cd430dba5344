import { expect, test } from "vitest";
import { money } from "../shared/money";
import { costOf } from "./tracewords";

test("money is exact", () => {
  expect([0, 1, 720, 9_999, 10_000, 12_345, 1_500_000, 4_294_967_296].map(money)).toEqual([
    "$0.00",
    "$0.000001",
    "$0.00072",
    "$0.009999",
    "$0.01",
    "$0.012345",
    "$1.50",
    "$4,294.967296",
  ]);
});

test("an unknown cost is never shown as nothing", () => {
  const model = (provider: string) => [{ provider, name: "m", calls: 1, cost: "free" as const }];
  expect(costOf({})).toBe("—");
  expect(costOf({ cost: "unpriced" })).toBe("unpriced");
  expect(costOf({ cost: "partly" })).toBe("in part unpriced");
  expect(costOf({ cost: "partly", costMicroUSD: 500 })).toBe("$0.0005, in part unpriced");
  expect(costOf({ cost: "priced", costMicroUSD: 0 })).toBe("$0.00");
  expect(costOf({ cost: "free", models: model("demo") })).toBe("no cost");
  expect(costOf({ cost: "free", models: model("ollama") })).toBe("local, free");
  expect(costOf({ cost: "free", models: model("openai") })).toBe("free");
});
