import t from "tap";
import { REPEATABLE_ROUTES, ROUTES } from "../../routes.ts";
import { EVENTS } from "../../schemas/events.ts";
import { TestDocument } from "../test-document.ts";
import { PUBLISHER_API } from "./publisher-api.ts";

/* Tests of the publisher's document only; the others are in ../document.test.ts. */

const tested = new TestDocument(PUBLISHER_API);
const { document } = tested;

t.test("openapi - an operation is named for its route", async (t) => {
  t.equal(tested.operationOf("wallet.stamp-collection/create").operationId, "walletStampCollectionCreate");
});

t.test("openapi - it has every type of event, and nothing else", async (t) => {
  t.strictSame(Object.keys(document.webhooks).sort(), Object.keys(EVENTS).sort());
});

t.test("openapi - a route that takes a header says so, no other does", async (t) => {
  for (const route of Object.keys(ROUTES)) {
    const names = (tested.operationOf(route).parameters ?? []).map(({ $ref }) => $ref.split("/").at(-1));
    t.equal(names.includes("idempotency-key"), route in REPEATABLE_ROUTES, route);
    t.equal(names.includes("prefer"), route === "transaction/ingest", route);
  }
});

t.test("openapi - an answer with each event's outcome says so", async (t) => {
  const { responses } = tested.operationOf("transaction/ingest");
  for (const [status, answer] of Object.entries(responses)) {
    const isApplied = JSON.stringify(answer).includes("#/components/headers/preference-applied");
    t.equal(isApplied, ["200", "202", "404", "409"].includes(status), status);
  }
  t.notMatch(JSON.stringify(tested.operationOf("wallet.clip/save")), /preference-applied/);
});

t.test("openapi - hoisted filters refuse too deep nesting", async (t) => {
  const validate = tested.requestValidator("member/list");
  const nested = (depth: number): object =>
    depth === 0 ? { key: "ref", eq: "a" } : { or: [nested(depth - 1)] };
  t.ok(validate({ member_base_id: "mb", filters: [nested(5)] }));
  t.notOk(validate({ member_base_id: "mb", filters: [nested(6)] }));
  t.notOk(validate({ member_base_id: "mb", filters: [{ key: "name", eq: "a" }] }), "of another list");
});

t.test("openapi - a delivery is judged by its events, and must hold the one that it is about", async (t) => {
  const validate = tested.compile("/webhooks/webhook.test/post/requestBody/content/application~1json/schema");
  const test = {
    event_id: "evt_1",
    type: "webhook.test",
    timestamp: "2026-03-01T10:00:00.000Z",
    member_id: null,
    member_ref: null,
  };
  const rejected = {
    ...test,
    type: "transaction.rejected",
    transaction_ref: "a",
    code: "not_found",
    reason: "not_found",
    batch_id: "batch_1",
  };
  t.ok(validate({ events: [rejected, test] }));
  t.notOk(validate({ events: [rejected] }));
  t.notOk(validate({ events: [test, { ...rejected, code: "other" }] }));
  t.notOk(validate({ events: [] }));
});
