import t from "tap";
import { ROUTES, type RouteName } from "../routes.ts";
import { VALIDATORS } from "../validation/validators.js";
import {
  also,
  byId,
  type Field,
  ID,
  id,
  line,
  list,
  listOf,
  many,
  object,
  oneOf,
  overlapSeconds,
  PRINTABLE,
  pagination,
  prose,
  type Refusal,
  required,
  STORABLE,
  timestamp,
  tryRequests,
} from "./test-requests.ts";
import { EVENT_PATTERNS, EVENT_TYPES } from "./webhook.ts";
import { DELIVERY_STATES } from "./webhook-delivery.ts";

/** The requests of every route except `transaction/ingest`, which has a file of its own. */

const since = timestamp;
const until = timestamp;
const ref = line(256);
const externalId = also(line(128), { takes: ["4111111111111111"] });

const ofMember = object({ member_id: required(id), pagination }, { member_id: ID });
/** A member, and the id of a program or deal. */
const memberAnd = (field: string) =>
  object({ member_id: required(id), [field]: required(id) }, { member_id: ID, [field]: ID });

/**
 * A request of several forms: a body that fits none of them is refused with their list, before its fields are
 * checked.
 */
const forms = (message: string, bodies: readonly unknown[]): Refusal[] =>
  [null, 1, "x", true, [], [{}], {}, ...bodies].map((body) => [body, message]);

const LEAF = 'a "key" with one of "eq", "in" and "nin"';
const FILTER = `must be ${LEAF}, or {"or": […]}, or {"and": […]}`;
const DEEPEST = `must be ${LEAF}: combinators nest at most 5 deep`;
/** Combinators around a leaf, and the path to the innermost leaf. */
const nested = (depth: number, leaf: unknown): unknown =>
  depth === 0 ? leaf : { [depth % 2 === 0 ? "or" : "and"]: [nested(depth - 1, leaf)] };
const pathInto = (depth: number): string =>
  depth === 0 ? "" : `/${depth % 2 === 0 ? "or" : "and"}/0${pathInto(depth - 1)}`;

/** The filters that a list accepts on these keys, and the faults that they may have. */
function filters(...keys: readonly [string, ...string[]]): Field {
  const [key] = keys;
  const leaf = { key, eq: "x" };
  const someKey = `must be one of ${keys.join(", ")}`;
  const wrong: Refusal[] = [
    ...[null, "x", [leaf], {}, { key }, { eq: "x" }, { key, eq: "x", in: ["x"] }, { key, equals: "x" }].map(
      (filter) => [filter, FILTER] as const,
    ),
    [{ key, eq: "x", typo: 1 }, FILTER],
    [{ or: [leaf], and: [leaf] }, FILTER],
    [{ key, or: [leaf] }, FILTER],
    [{ key: "attributes", eq: "x" }, someKey, "/key"],
    [{ key: null, eq: "x" }, "must be string", "/key"],
    [{ key, eq: 1 }, "must be string", "/eq"],
    [{ key, eq: "a\u0000" }, STORABLE, "/eq"],
    [{ key, in: "x" }, "must be array", "/in"],
    [{ key, in: [] }, "must have at least 1 entry", "/in"],
    [{ key, nin: many(1001, "x") }, "must have at most 1000 entries", "/nin"],
    [{ key, in: ["x", null] }, "must be string", "/in/1"],
    [{ key, nin: ["\ud800"] }, STORABLE, "/nin/0"],
    [{ or: {} }, "must be array", "/or"],
    [{ or: [] }, "must have at least 1 entry", "/or"],
    [{ and: many(101, leaf) }, "must have at most 100 entries", "/and"],
    [{ or: [leaf, { and: [{}] }] }, FILTER, "/or/1/and/0"],
    [nested(6, leaf), DEEPEST, "/or/0/and/0/or/0/and/0/or/0"],
    [nested(5, { key: "x", eq: "x" }), someKey, `${pathInto(5)}/key`],
  ];
  return {
    takes: [
      [],
      keys.flatMap((name) => [
        { key: name, eq: "" },
        { key: name, in: ["x"] },
        { key: name, nin: many(1000, "x") },
      ]),
      [{ or: [leaf, { and: [leaf, leaf] }] }],
      [nested(5, leaf), nested(5, { key, in: ["x"] })],
      many(100, leaf),
      [{ or: many(100, leaf) }],
    ],
    refuses: [
      [null, "must be array"],
      [leaf, "must be array"],
      [many(101, leaf), "must have at most 100 entries"],
      ...wrong.map(
        ([filter, message, path = ""]) => [[{ key, eq: "fine" }, filter], message, `/1${path}`] as const,
      ),
    ],
  };
}

const BAD_KEY = "has a key that is empty, too long or not printable";
const ATTRIBUTE = "must be string or number or boolean or null or array";
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`key_${i}`, i]));
const attributes: Field = {
  takes: [
    {},
    { text: "two\nlines", number: -1.5, yes: true, gone: null, tags: [], more: ["a", ""] },
    JSON.parse('{"__proto__":"only a key","constructor":null}'),
    { ["k".repeat(256)]: 1 },
    keys(64),
  ],
  refuses: [
    [null, "must be object"],
    [["a"], "must be object"],
    [keys(65), "must have at most 64 keys"],
    ...["", "k".repeat(257), "a\nb", "\ud800"].map((key) => [{ [key]: 1 }, BAD_KEY] as const),
    [{ nested: {} }, ATTRIBUTE, "/nested"],
    [{ "a/b~c": {} }, ATTRIBUTE, "/a~1b~0c"],
    [{ text: "a\u0000" }, STORABLE, "/text"],
    [{ tags: ["a", 1] }, "must be string", "/tags/1"],
    [{ tags: [["a"]] }, "must be string", "/tags/0"],
    [{ tags: ["a", "\ud800"] }, STORABLE, "/tags/1"],
  ],
};
const members = listOf(object({ ref: required(ref), attributes }, { ref: "r" }), 1, 5000);

const ID_OR_REF = "must have either id, or member_base_id and ref";
const getMember: Field = {
  takes: [{ id: ID }, { id: "" }, { member_base_id: ID, ref: "r" }],
  refuses: [
    ...forms(ID_OR_REF, [
      { ref: "r" },
      { member_base_id: ID },
      { id: ID, ref: "r" },
      { id: ID, member_base_id: ID, ref: "r" },
      { id: ID, typo: 1 },
      { member_base_id: ID, ref: "r", typo: 1 },
    ]),
    [{ id: 1 }, "must be string", "/id"],
    [{ member_base_id: null, ref: "r" }, "must be string", "/member_base_id"],
    ...ref.refuses.map(([value, message]) => [{ member_base_id: ID, ref: value }, message, "/ref"] as const),
  ],
};

const DELETE_BY = "must have either member_ids or refs";
const deleteMembers: Field = {
  takes: [
    ...listOf(id, 1, 5000).takes.map((ids) => ({ member_base_id: ID, member_ids: ids })),
    ...listOf(ref, 1, 5000).takes.map((refs) => ({ member_base_id: ID, refs })),
    { member_base_id: ID, refs: ["r", "r"] },
  ],
  refuses: [
    ...forms(DELETE_BY, [
      { member_base_id: ID },
      { member_base_id: ID, refs: ["r"], member_ids: [ID] },
      { member_base_id: ID, ids: [ID] },
    ]),
    [{ refs: ["r"] }, "is required", "/member_base_id"],
    [{ member_base_id: null, refs: ["r"] }, "must be string", "/member_base_id"],
    [{ member_base_id: ID, refs: ["r"], typo: 1 }, "is not a known field", "/typo"],
    ...listOf(ref, 1, 5000).refuses.map(
      ([refs, message, path = ""]) => [{ member_base_id: ID, refs }, message, `/refs${path}`] as const,
    ),
    ...listOf(id, 1, 5000).refuses.map(
      ([ids, message, path = ""]) =>
        [{ member_base_id: ID, member_ids: ids }, message, `/member_ids${path}`] as const,
    ),
  ],
};

const SECRET = "must be whsec_ and the base64 of 24 to 64 bytes";
const whsec = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString("base64")}`;
const secret: Field = {
  takes: [whsec(24), whsec(64)],
  refuses: [
    ...[whsec(23), whsec(65), whsec(24).slice(6)].map((value) => [value, SECRET] as const),
    [1, "must be string"],
  ],
};
/** Distinct patterns of events, and these further ones. */
const patterns = (...more: readonly string[]): Field => {
  const someEvent = `must be one of ${[...EVENT_PATTERNS, ...more].join(", ")}`;
  return {
    takes: [
      [...EVENT_TYPES, ...more],
      ["*"],
      ["cashback.*", "transaction.rejected"],
      ["qualifying_purchase.*", ...more],
    ],
    refuses: [
      ["cashback.created", "must be array"],
      [[], "must have at least 1 entry"],
      [["cashback.created", "typo"], someEvent, "/1"],
      [["cashback"], someEvent, "/0"],
      [["cashback.created", "cashback.created"], "must not have an entry twice"],
    ],
  };
};
const url = also(line(2048), { refuses: [["https://exam\tple.com", PRINTABLE]] });
const events = also(patterns(), {
  refuses: [[["webhook.test"], `must be one of ${EVENT_PATTERNS.join(", ")}`, "/0"]],
});
const description = prose(1024);
const newWebhook = { url: "https://example.com/hooks", events: ["cashback.created"] };

const REPLAY_BY = "must have exactly one of event_ids, since (with until, if wanted), and failed";
const replay = (chosen: object) => ({ webhook_id: ID, ...chosen });
const replays: Field = {
  takes: [
    ...listOf(id, 1, 1000).takes.map((ids) => replay({ event_ids: ids })),
    replay({ since: "2026-03-01T10:00:00Z" }),
    replay({ since: "2026-03-01T10:00:00+02:00", until: "2026-03-01T10:00:00.123456789Z" }),
    replay({ failed: true }),
  ],
  refuses: [
    ...forms(REPLAY_BY, [
      replay({}),
      { failed: true },
      replay({ until: "2026-03-01T10:00:00Z" }),
      replay({ failed: true, until: "2026-03-01T10:00:00Z" }),
      replay({ failed: true, since: "2026-03-01T10:00:00Z" }),
      replay({ failed: true, event_ids: [ID] }),
      replay({ event_ids: [ID], since: "2026-03-01T10:00:00Z" }),
      replay({ event_ids: [ID], until: "2026-03-01T10:00:00Z" }),
      replay({ event_ids: [ID], since: "2026-03-01T10:00:00Z", until: "2026-03-02T10:00:00Z" }),
      replay({ failed: true, typo: 1 }),
    ]),
    [{ webhook_id: null, failed: true }, "must be string", "/webhook_id"],
    [replay({ failed: false }), "must be one of true", "/failed"],
    [replay({ failed: "true" }), "must be boolean", "/failed"],
    ...listOf(id, 1, 1000).refuses.map(
      ([ids, message, path = ""]) => [replay({ event_ids: ids }), message, `/event_ids${path}`] as const,
    ),
    ...timestamp.refuses.flatMap(([value, message]): Refusal[] => [
      [replay({ since: value }), message, "/since"],
      [replay({ since: "2026-03-01T10:00:00Z", until: value }), message, "/until"],
    ]),
  ],
};

const { "transaction/ingest": _, ...routes } = ROUTES;

const REQUESTS: Readonly<Record<Exclude<RouteName, "transaction/ingest">, Field>> = {
  "api-token/create": object(
    { access: required(oneOf("read", "write")), description: required(description), expires_at: timestamp },
    { access: "read", description: "" },
  ),
  "api-token/list": list,
  "api-token/revoke": byId,
  "deal/get": byId,
  "deal/list": list,
  "loyalty-program/get": byId,
  "loyalty-program/list": list,
  "member-base/create": object({ name: required(line(256)) }, { name: "Kunder Ö" }),
  "member-base/get": byId,
  "member-base/list": object({ pagination, filters: filters("name") }, {}),
  "member-base/delete": byId,
  "member/list": object(
    { member_base_id: required(id), pagination, filters: filters("id", "ref") },
    { member_base_id: ID },
  ),
  "member/bulk-delete": deleteMembers,
  "id/resolve": byId,
  "member/find": object({ ref: required(ref), pagination }, { ref: " spaces stay, exact bytes " }),
  "qualifying-purchase/list": object(
    { stamp_collection_id: required(id), pagination },
    { stamp_collection_id: ID },
  ),
  "member/bulk-upsert": object(
    { member_base_id: required(id), members: required(members) },
    { member_base_id: ID, members: [{ ref: "r" }] },
  ),
  "member/get": getMember,
  "transaction.batch/get": byId,
  "webhook/create": also(
    object({ url: required(url), events: required(events), description, secret }, newWebhook),
    { refuses: [[{ ...newWebhook, state: "paused" }, "is not a known field", "/state"]] },
  ),
  "webhook/get": byId,
  "webhook/list": list,
  "webhook/update": also(
    object(
      {
        id: required(id),
        url,
        events,
        description,
        state: also(oneOf("enabled", "paused"), {
          refuses: [["disabled", "must be one of enabled, paused"]],
        }),
      },
      { id: ID },
    ),
    {
      takes: [{ ...newWebhook, id: ID, description: "x", state: "paused" }],
      refuses: [[{ id: ID, secret: whsec(32) }, "is not a known field", "/secret"]],
    },
  ),
  "webhook/delete": byId,
  "webhook/rotate-secret": also(object({ id: required(id), overlap_seconds: overlapSeconds }, { id: ID }), {
    refuses: [[{ id: ID, secret: whsec(32) }, "is not a known field", "/secret"]],
  }),
  "webhook/retry": byId,
  "webhook/test": byId,
  "webhook.delivery/list": object(
    {
      webhook_id: required(id),
      state: also(oneOf(...DELIVERY_STATES), {
        refuses: ["parked", "split"].map((state) => [state, `must be one of ${DELIVERY_STATES.join(", ")}`]),
      }),
      order: oneOf("oldest", "newest"),
      since,
      until,
      event_id: id,
      pagination,
    },
    { webhook_id: ID },
  ),
  "webhook.delivery/get": byId,
  "event/list": object(
    {
      after: {
        takes: [null, "", "x".repeat(1024)],
        refuses: [
          [1, "must be string or null"],
          ["x".repeat(1025), "must have at most 1024 characters"],
        ],
      },
      limit: {
        takes: [1, 1000],
        refuses: [
          [0, "must be at least 1"],
          [1001, "must be at most 1000"],
          ["1", "must be integer"],
        ],
      },
      types: patterns("webhook.test"),
      transaction_ref: externalId,
      since,
    },
    {},
  ),
  "webhook.delivery/replay": replays,
  "transaction/list": object(
    {
      member_id: required(id),
      state: oneOf("authorized", "cleared", "reverted"),
      since,
      until,
      pagination,
    },
    { member_id: ID },
  ),
  "transaction.rejection/list": object(
    { external_id: externalId, member_id: id, since, until, pagination },
    {},
  ),
  "transaction/export": object({ since, until, pagination }, {}),
  "transaction/get": object({ external_id: required(externalId) }, { external_id: "x" }),
  "transaction/trace": object({ external_id: required(externalId) }, { external_id: "x" }),
  "wallet.cashback/list": ofMember,
  "wallet.clip/list": ofMember,
  "wallet.redemption/list": ofMember,
  "wallet.clip/save": memberAnd("deal_id"),
  "wallet.stamp-collection/create": memberAnd("loyalty_program_id"),
  "wallet.stamp-collection/get": byId,
  "wallet.stamp-collection/list": ofMember,
};

tryRequests(REQUESTS, routes, VALIDATORS);

t.test("requests - filters nested a million deep are refused like those nested too deep", async (t) => {
  const depth = 1_000_000;
  const body = JSON.parse(`{"filters":[${'{"or":['.repeat(depth)}${"]}".repeat(depth)}]}`);
  const validate = VALIDATORS["member-base/list"];
  t.notOk(validate(body));
  t.match(validate.errors?.at(-1), { instancePath: "/filters/0/or/0/or/0/or/0/or/0/or/0", keyword: "oneOf" });
});
