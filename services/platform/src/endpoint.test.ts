import t from "tap";
import { PLATFORM_ROUTES, type PlatformRouteName } from "#contract/platform";
import { definePlatformEndpoint } from "./endpoint.ts";

const CHANGING: readonly PlatformRouteName[] = [
  "loyalty-program/upsert",
  "loyalty-program/delete",
  "deal/upsert",
  "deal/delete",
  "retailer/upsert",
  "retailer/rotate-token",
  "retailer/delete",
  "payment/ingest",
];

t.test("all endpoints but those that change something are reads: a long answer may be refused", async (t) => {
  const names = Object.keys(PLATFORM_ROUTES) as PlatformRouteName[];
  const changing = names.filter(
    (name) => !definePlatformEndpoint(name, () => ({ status: 200, body: "" })).isRead,
  );
  t.strictSame(changing, CHANGING);
});
