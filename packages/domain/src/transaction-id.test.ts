import t from "tap";
import { transactionId } from "./identifiers.ts";

const ORGANISATION = "01980000-0000-7000-8000-000000000001";
const AT = Date.parse("2026-05-01T10:00:00.123Z");

t.test("transaction id - is a UUIDv7 of the authorization's time", async (t) => {
  const id = transactionId("key", ORGANISATION, "order-1", AT);
  t.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  t.equal(Number.parseInt(id.replace("-", "").slice(0, 12), 16), AT);
});

t.test("transaction id - the same event has the same id, anything else another", async (t) => {
  const id = transactionId("key", ORGANISATION, "order-1", AT);
  t.equal(transactionId("key", ORGANISATION, "order-1", AT), id);
  const others = [
    transactionId("another key", ORGANISATION, "order-1", AT),
    transactionId("key", ORGANISATION.replace(/1$/, "2"), "order-1", AT),
    transactionId("key", ORGANISATION, "order-2", AT),
    transactionId("key", ORGANISATION, "order-1", AT + 1),
  ];
  t.equal(new Set([id, ...others]).size, 5);
});

t.test("transaction id - later authorizations sort behind earlier ones, from 2000 to 2100", async (t) => {
  const times = ["2000-01-01T00:00:00Z", "2026-05-01T10:00:00Z", "2100-12-31T23:59:59Z"].map(Date.parse);
  const ids = times.map((time) => transactionId("key", ORGANISATION, "order-1", time));
  t.strictSame([...ids].sort(), ids);
});
