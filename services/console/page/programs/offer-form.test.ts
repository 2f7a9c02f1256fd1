import t from "tap";
import { dealForm, EMPTY_DEAL, EMPTY_PROGRAM, programForm, readDeal, readProgram } from "./offer-form.ts";
import type { Deal, Program } from "./program-types.ts";

const kept = { id: "x", created_at: "2026-11-01T00:00:00.000Z", updated_at: "2026-11-02T00:00:00.000Z" };
const display = {
  title: "Coffee",
  image: "https://example.com/c.png",
  summary: "",
  description: "a\nb",
  terms: " t ",
};

const fullProgram: Program = {
  ...kept,
  name: "Coffee card",
  qualifying_threshold: 10,
  reward_config: { type: "fixed-reward", amount: 350 },
  display_content: { ...display, logo: "https://example.com/l.png", reward: { formatted: "€3.50" } },
  rules: {
    merchant_ids: ["M-1", "M-2"],
    statement_descriptor: "COFFEE",
    min_amount: 0,
    currency: "EUR",
    paid_after: "2026-01-01T00:00:00.123Z",
    paid_before: "2027-01-01T00:00:00.000Z",
    retroactive: true,
    confirmation: "none",
  },
};

const fullDeal: Deal = {
  ...kept,
  name: "May",
  reward_config: { type: "percent", percent: 12.5, max_amount: 500 },
  display_content: display,
  rules: { merchant_ids: ["M-1"], confirmation: "retailer" },
  starts_at: "2026-05-01T00:00:00.001Z",
  ends_at: "2026-06-01T00:00:00.000Z",
};

t.test("offer form - a saved record becomes the same request, to the last field", async (t) => {
  const { id: _, created_at: __, updated_at: ___, ...program } = fullProgram;
  t.strictSame(readProgram(programForm(fullProgram)).fields, program);
  t.strictSame(
    readProgram(programForm({ ...fullProgram, reward_config: { type: "refund" } })).fields?.reward_config,
    { type: "refund" },
  );
  const { id: ____, created_at: _____, updated_at: ______, ...deal } = fullDeal;
  t.strictSame(readDeal(dealForm(fullDeal)).fields, deal);
  const fixed = { type: "fixed", amount: 100, currency: "SEK" } as const;
  t.strictSame(readDeal(dealForm({ ...fullDeal, reward_config: fixed })).fields?.reward_config, fixed);
});

t.test("offer form - an empty form names its required fields, and no others", async (t) => {
  const needed = "is needed";
  t.strictSame(readProgram(EMPTY_PROGRAM).faults, {
    name: needed,
    title: needed,
    image: needed,
    merchantIds: "at least one is needed",
  });
  t.strictSame(Object.keys(readDeal(EMPTY_DEAL).faults ?? {}), ["name", "title", "image", "merchantIds"]);
});

t.test("offer form - numbers and codes are read strictly, before they are sent", async (t) => {
  const good = dealForm(fullDeal);
  for (const [changes, field] of [
    [{ percent: "0" }, "percent"],
    [{ percent: "100.01" }, "percent"],
    [{ percent: "1e1" }, "percent"],
    [{ maxAmount: "3.50" }, "maxAmount"],
    [{ maxAmount: "-1" }, "maxAmount"],
    [{ maxAmount: "9007199254740993" }, "maxAmount"],
    [{ reward: "fixed", rewardAmount: "100", rewardCurrency: "euro" }, "rewardCurrency"],
    [{ merchantIds: " \n\t" }, "merchantIds"],
  ] as const) {
    t.strictSame(
      Object.keys(readDeal({ ...good, ...changes }).faults ?? {}),
      [field],
      JSON.stringify(changes),
    );
  }
  t.match(readDeal({ ...good, percent: "2,5" }).fields, { reward_config: { percent: 2.5 } });
  t.match(readDeal({ ...good, currency: "sek" }).fields, { rules: { currency: "SEK" } });
  t.match(readDeal({ ...good, merchantIds: " A \n\n B" }).fields, { rules: { merchant_ids: ["A", "B"] } });
  t.match(readProgram({ ...programForm(fullProgram), threshold: "0" }).faults, { threshold: /from 1/ });
});
