import { randomBytes } from "node:crypto";
import t from "tap";
import { uuidv7 } from "uuidv7";
import { LIMITS } from "#contract";
import type { Page, PageRequest, Store } from "#postgres";
import { dealFields, programFields, testStore } from "#test-support";
import { dealTable } from "./configuration/deals.ts";
import { programTable } from "./configuration/programs.ts";
import { createRetailer, listRetailers } from "./retailers/retailer-rows.ts";

let store: Store;

t.before(async () => {
  store = await testStore();
});

/** The ids of each page. Pages are as long as allowed. */
async function walk(
  list: (page: PageRequest) => Promise<Page<{ readonly id: string }>>,
): Promise<string[][]> {
  const pages: string[][] = [];
  let more = true;
  while (more && pages.length < 100) {
    const page = await list({ limit: LIMITS.pageLimitMax, after: pages.at(-1)?.at(-1) });
    pages.push(page.records.map(({ id }) => id));
    more = page.more;
  }
  return pages;
}

const names = (bytes: number) =>
  Array.from({ length: LIMITS.merchantsPerRecord }, () => randomBytes(bytes / 2).toString("hex"));

t.test("list bytes - retailers with all the merchant ids and descriptors that there may be", async (t) => {
  const ids: string[] = [];
  for (let n = 0; n < 30; n++) {
    const id = uuidv7();
    const retailer = { id, name: "Shop", merchantIds: names(64), statementDescriptors: names(128) };
    await createRetailer(store, { ...retailer, tokenHash: randomBytes(32) });
    ids.push(id);
  }
  const pages = await walk((page) => listRetailers(store, page));
  t.strictSame(pages.flat(), ids);
  t.strictSame(
    pages.map(({ length }) => length),
    [21, 9],
  );
});

t.test("list bytes - programs and deals with long texts and rules", async (t) => {
  const displayContent = { ...programFields().displayContent, terms: names(60).join("") };
  const rules = { merchant_ids: names(64), confirmation: "retailer" } as const;
  const fields = { displayContent, rules };
  const [programs, deals]: [string[], string[]] = [[], []];
  for (let n = 0; n < 40; n++) {
    programs.push((await programTable.create(store, programFields(fields))).id);
    deals.push((await dealTable.create(store, dealFields(fields))).id);
  }
  for (const [table, ids] of [
    [programTable, programs],
    [dealTable, deals],
  ] as const) {
    const pages = await walk((page) => table.list(store, page));
    t.strictSame(pages.flat(), ids);
    t.strictSame(
      pages.map(({ length }) => length),
      [33, 7],
    );
  }
});
