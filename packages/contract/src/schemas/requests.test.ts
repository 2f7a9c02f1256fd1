import t from "tap";
import type { Issue } from "../errors.ts";
import { ROUTES, type RouteName } from "../routes.ts";
import { describeViolation } from "../schema-issue.ts";
import { VALIDATORS } from "../validation/validators.js";
import { EVENT_PATTERNS, EVENT_TYPES } from "./webhook.ts";
import { DELIVERY_STATES } from "./webhook-delivery.ts";

/** The requests of every route except `transaction/ingest`, which has a file of its own. */

const ID = "mb_01jt7a8pvcfnp9z85hr79f9z86";
const PRINTABLE = "must not hold control characters or lone surrogates";
const STORABLE = "must not hold NUL or lone surrogates";
const BAD_KEY = "has a key that is empty, too long or not printable";
const TIMESTAMP =
  "must be an RFC 3339 timestamp with an offset, years 2000 to 2100 in UTC, at most 9 fraction digits";
const ATTRIBUTE = "must be string or number or boolean or null or array";
const ID_OR_REF = "must have either id, or member_base_id and ref";

type Refusal = readonly [body: unknown, path: string, message: string];
interface Examples {
  readonly accepted: readonly unknown[];
  readonly refused: readonly Refusal[];
}

const unknown = (body: object): Refusal => [{ ...body, typo: 1 }, "/typo", "is not a known field"];

/** What a list takes to choose its page, and what may be wrong in it. */
function pagination(): Examples {
  const wrong = (value: unknown, field: string, message: string): Refusal => [
    { pagination: value },
    `/pagination${field}`,
    message,
  ];
  return {
    accepted: [
      {},
      { pagination: {} },
      { pagination: { limit: 1 } },
      { pagination: { limit: 1000, cursor: null, skip: 0 } },
      { pagination: { cursor: "x".repeat(1024), skip: 100_000 } },
    ],
    refused: [
      wrong(null, "", "must be object"),
      wrong([], "", "must be object"),
      wrong({ limit: 0 }, "/limit", "must be at least 1"),
      wrong({ limit: 1001 }, "/limit", "must be at most 1000"),
      wrong({ limit: 1.5 }, "/limit", "must be integer"),
      wrong({ limit: "10" }, "/limit", "must be integer"),
      wrong({ limit: null }, "/limit", "must be integer"),
      wrong({ cursor: 1 }, "/cursor", "must be string or null"),
      wrong({ cursor: "x".repeat(1025) }, "/cursor", "must have at most 1024 characters"),
      wrong({ skip: -1 }, "/skip", "must be at least 0"),
      wrong({ skip: 100_001 }, "/skip", "must be at most 100000"),
      wrong({ offset: 1 }, "/offset", "is not a known field"),
      unknown({}),
    ],
  };
}

/** What may be wrong in the span of a list, beside which a request has `others`. */
const timeSpan = (others: object): Refusal[] => [
  [{ ...others, since: "yesterday" }, "/since", TIMESTAMP],
  [{ ...others, until: 1_767_225_600 }, "/until", "must be string"],
  [{ ...others, until: "1999-12-31T23:59:59Z" }, "/until", TIMESTAMP],
];

const onlyId: Examples = {
  // An id of the wrong form is unknown, not malformed.
  accepted: [{ id: ID }, { id: "" }, { id: "x" }, { id: "\u0000" }],
  refused: [
    [{}, "/id", "is required"],
    [{ id: null }, "/id", "must be string"],
    [{ id: 1 }, "/id", "must be string"],
    [{ id: [ID] }, "/id", "must be string"],
    unknown({ id: ID }),
  ],
};

const ofMember: Examples = {
  accepted: [
    { member_id: ID },
    { member_id: "" },
    { member_id: ID, pagination: { limit: 1000, cursor: null, skip: 0 } },
  ],
  refused: [
    [{}, "/member_id", "is required"],
    [{ member_id: null }, "/member_id", "must be string"],
    [{ member_id: [ID] }, "/member_id", "must be string"],
    [{ member_id: ID, pagination: [] }, "/pagination", "must be object"],
    [{ member_id: ID, pagination: { limit: 1001 } }, "/pagination/limit", "must be at most 1000"],
    [{ member_id: ID, ref: "r" }, "/ref", "is not a known field"],
    unknown({ member_id: ID }),
  ],
};

/** What a member enrols in or saves. */
const memberAnd = (field: string): Examples => ({
  accepted: [
    { member_id: ID, [field]: ID },
    { member_id: "", [field]: "x" },
  ],
  refused: [
    [{ [field]: ID }, "/member_id", "is required"],
    [{ member_id: ID }, `/${field}`, "is required"],
    [{ member_id: 1, [field]: ID }, "/member_id", "must be string"],
    [{ member_id: ID, [field]: null }, `/${field}`, "must be string"],
    [{ member_id: ID, [field]: ID, id: ID }, "/id", "is not a known field"],
    unknown({ member_id: ID, [field]: ID }),
  ],
});

const member = (fields: object) => ({ member_base_id: ID, members: [{ ref: "first" }, fields] });
const attributes = (value: unknown) => member({ ref: "r", attributes: value });
const manyAttributes = (count: number) =>
  attributes(Object.fromEntries(Array.from({ length: count }, (_, i) => [`key_${i}`, i])));
const manyMembers = (count: number) => ({
  member_base_id: ID,
  members: Array.from({ length: count }, (_, i) => ({ ref: String(i) })),
});

const SECRET = "must be whsec_ and the base64 of 24 to 64 bytes";
const whsec = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString("base64")}`;
const SOME_EVENT = `must be one of ${EVENT_PATTERNS.join(", ")}`;

/**
 * What a request may say about a webhook when it is made and when it is changed; `request` has the required
 * fields.
 */
const webhookFields = (request: object): Examples => ({
  accepted: [
    request,
    { ...request, url: "x".repeat(2048) },
    { ...request, events: [...EVENT_TYPES] },
    { ...request, events: ["*"] },
    { ...request, events: ["cashback.*", "transaction.rejected"] },
    { ...request, description: "" },
    { ...request, description: "ü".repeat(1024) },
    { ...request, description: "two\nlines" },
  ],
  refused: [
    [{ ...request, url: 1 }, "/url", "must be string"],
    [{ ...request, url: null }, "/url", "must be string"],
    [{ ...request, url: "" }, "/url", "must have at least 1 character"],
    [{ ...request, url: "x".repeat(2049) }, "/url", "must have at most 2048 characters"],
    [{ ...request, url: "https://exam\tple.com" }, "/url", PRINTABLE],
    [{ ...request, url: "https://example.com/\ud800" }, "/url", PRINTABLE],
    [{ ...request, events: "cashback.created" }, "/events", "must be array"],
    [{ ...request, events: [] }, "/events", "must have at least 1 entry"],
    [{ ...request, events: ["cashback.created", "typo"] }, "/events/1", SOME_EVENT],
    [{ ...request, events: ["webhook.test"] }, "/events/0", SOME_EVENT],
    [
      { ...request, events: ["cashback.created", "cashback.created"] },
      "/events",
      "must not have an entry twice",
    ],
    [{ ...request, description: null }, "/description", "must be string"],
    [{ ...request, description: "x".repeat(1025) }, "/description", "must have at most 1024 characters"],
    [{ ...request, description: "a\u0000" }, "/description", STORABLE],
    unknown(request),
  ],
});
const REPLAY_BY = "must have exactly one of event_ids, since (with until, if wanted), and failed";
const SOME_DELIVERY_STATE = `must be one of ${DELIVERY_STATES.join(", ")}`;
const replay = (chosen: object) => ({ webhook_id: ID, ...chosen });

const newWebhook = { url: "https://example.com/hooks", events: ["cashback.created"] };

const DELETE_BY = "must have either member_ids or refs";
const LEAF = 'a "key" with one of "eq", "in" and "nin"';
const FILTER = `must be ${LEAF}, or {"or": […]}, or {"and": […]}`;
const DEEPEST = `must be ${LEAF}: combinators nest at most 5 deep`;
const entries = (count: number) => Array.from({ length: count }, (_, i) => String(i));
/** Combinators around a leaf, and the path to the innermost leaf. */
const nested = (depth: number, leaf: unknown): unknown =>
  depth === 0 ? leaf : { [depth % 2 === 0 ? "or" : "and"]: [nested(depth - 1, leaf)] };
const pathInto = (depth: number): string =>
  depth === 0 ? "" : `/${depth % 2 === 0 ? "or" : "and"}/0${pathInto(depth - 1)}`;

/** What `filters` take, and what may be wrong in them, on these keys. */
function filters(request: object, keys: readonly [string, ...string[]]): Examples {
  const [key] = keys;
  const wrong = (filter: unknown, field: string, message: string): Refusal => [
    { ...request, filters: [{ key, eq: "fine" }, filter] },
    `/filters/1${field}`,
    message,
  ];
  const leaf = { key, eq: "x" };
  return {
    accepted: [
      [],
      keys.flatMap((name) => [
        { key: name, eq: "" },
        { key: name, in: ["x"] },
        { key: name, nin: entries(1000) },
      ]),
      [{ or: [leaf, { and: [leaf, leaf] }] }],
      [nested(5, leaf), nested(5, { key, in: ["x"] })],
      Array.from({ length: 100 }, () => leaf),
      [{ or: Array.from({ length: 100 }, () => leaf) }],
    ].map((given) => ({ ...request, filters: given })),
    refused: [
      [{ ...request, filters: null }, "/filters", "must be array"],
      [{ ...request, filters: leaf }, "/filters", "must be array"],
      [
        { ...request, filters: Array.from({ length: 101 }, () => leaf) },
        "/filters",
        "must have at most 100 entries",
      ],
      wrong(null, "", FILTER),
      wrong("x", "", FILTER),
      wrong([leaf], "", FILTER),
      wrong({}, "", FILTER),
      wrong({ key }, "", FILTER),
      wrong({ eq: "x" }, "", FILTER),
      wrong({ key, eq: "x", in: ["x"] }, "", FILTER),
      wrong({ key, equals: "x" }, "", FILTER),
      wrong({ key, eq: "x", typo: 1 }, "", FILTER),
      wrong({ or: [leaf], and: [leaf] }, "", FILTER),
      wrong({ key, or: [leaf] }, "", FILTER),
      wrong({ key: "attributes", eq: "x" }, "/key", `must be one of ${keys.join(", ")}`),
      wrong({ key: null, eq: "x" }, "/key", "must be string"),
      wrong({ key, eq: 1 }, "/eq", "must be string"),
      wrong({ key, eq: "a\u0000" }, "/eq", STORABLE),
      wrong({ key, in: "x" }, "/in", "must be array"),
      wrong({ key, in: [] }, "/in", "must have at least 1 entry"),
      wrong({ key, nin: entries(1001) }, "/nin", "must have at most 1000 entries"),
      wrong({ key, in: ["x", null] }, "/in/1", "must be string"),
      wrong({ key, nin: ["\ud800"] }, "/nin/0", STORABLE),
      wrong({ or: {} }, "/or", "must be array"),
      wrong({ or: [] }, "/or", "must have at least 1 entry"),
      wrong({ and: Array.from({ length: 101 }, () => leaf) }, "/and", "must have at most 100 entries"),
      wrong({ or: [leaf, { and: [{}] }] }, "/or/1/and/0", FILTER),
      wrong(nested(6, leaf), "/or/0/and/0/or/0/and/0/or/0", DEEPEST),
      wrong(nested(5, { key: "x", eq: "x" }), `${pathInto(5)}/key`, `must be one of ${keys.join(", ")}`),
    ],
  };
}

const merge = (...parts: Examples[]): Examples => ({
  accepted: parts.flatMap(({ accepted }) => accepted),
  refused: parts.flatMap(({ refused }) => refused),
});

const EXAMPLES: Readonly<Partial<Record<RouteName, Examples>>> = {
  "api-token/create": {
    accepted: [
      { access: "read", description: "" },
      { access: "write", description: "tills\nof the south", expires_at: "2026-12-31T00:00:00Z" },
      { access: "write", description: "x".repeat(1024) },
    ],
    refused: [
      [{ description: "" }, "/access", "is required"],
      [{ access: "read" }, "/description", "is required"],
      [{ access: "admin", description: "" }, "/access", "must be one of read, write"],
      [{ access: ["read"], description: "" }, "/access", "must be one of read, write"],
      [{ access: "read", description: null }, "/description", "must be string"],
      [
        { access: "read", description: "x".repeat(1025) },
        "/description",
        "must have at most 1024 characters",
      ],
      [{ access: "read", description: "a\u0000" }, "/description", STORABLE],
      [{ access: "read", description: "\ud800" }, "/description", STORABLE],
      [{ access: "read", description: "", expires_at: null }, "/expires_at", "must be string"],
      [{ access: "read", description: "", expires_at: "2026-12-31" }, "/expires_at", TIMESTAMP],
      [{ access: "read", description: "", token: "x" }, "/token", "is not a known field"],
    ],
  },
  "api-token/list": pagination(),
  "api-token/revoke": onlyId,
  "deal/get": onlyId,
  "deal/list": pagination(),
  "loyalty-program/get": onlyId,
  "loyalty-program/list": pagination(),
  "member-base/create": {
    accepted: [
      { name: "x" },
      { name: "Kunder Ö" },
      { name: "x".repeat(256) },
      { name: "\u{1f6d2}".repeat(256) },
    ],
    refused: [
      [{}, "/name", "is required"],
      [{ name: 1 }, "/name", "must be string"],
      [{ name: "" }, "/name", "must have at least 1 character"],
      [{ name: "x".repeat(257) }, "/name", "must have at most 256 characters"],
      [{ name: "a\nb" }, "/name", PRINTABLE],
      [{ name: "\udfff" }, "/name", PRINTABLE],
      [{ name: "x", id: ID }, "/id", "is not a known field"],
    ],
  },
  "member-base/get": onlyId,
  "member-base/list": merge(pagination(), filters({}, ["name"])),
  "member-base/delete": onlyId,
  "member/list": merge(filters({ member_base_id: ID }, ["id", "ref"]), {
    accepted: [{ member_base_id: ID }, { member_base_id: "", pagination: { limit: 1000, cursor: null } }],
    refused: [
      [{}, "/member_base_id", "is required"],
      [{ member_base_id: 1 }, "/member_base_id", "must be string"],
      [{ member_base_id: ID, pagination: { limit: 0 } }, "/pagination/limit", "must be at least 1"],
      [{ member_base_id: ID, filter: [] }, "/filter", "is not a known field"],
    ],
  }),
  "member/bulk-delete": {
    accepted: [
      { member_base_id: ID, member_ids: [""] },
      { member_base_id: ID, member_ids: entries(5000) },
      { member_base_id: ID, refs: ["r", "r"] },
      { member_base_id: ID, refs: entries(5000) },
    ],
    refused: [
      [{ refs: ["r"] }, "/member_base_id", "is required"],
      [{ member_base_id: ID }, "", DELETE_BY],
      [{ member_base_id: ID, refs: ["r"], member_ids: [ID] }, "", DELETE_BY],
      [{ member_base_id: ID, ids: [ID] }, "", DELETE_BY],
      [{ member_base_id: null, refs: ["r"] }, "/member_base_id", "must be string"],
      [{ member_base_id: ID, refs: null }, "/refs", "must be array"],
      [{ member_base_id: ID, refs: [] }, "/refs", "must have at least 1 entry"],
      [{ member_base_id: ID, refs: entries(5001) }, "/refs", "must have at most 5000 entries"],
      [{ member_base_id: ID, refs: ["r", ""] }, "/refs/1", "must have at least 1 character"],
      [{ member_base_id: ID, refs: ["r", "a\nb"] }, "/refs/1", PRINTABLE],
      [{ member_base_id: ID, member_ids: [] }, "/member_ids", "must have at least 1 entry"],
      [{ member_base_id: ID, member_ids: entries(5001) }, "/member_ids", "must have at most 5000 entries"],
      [{ member_base_id: ID, member_ids: [1] }, "/member_ids/0", "must be string"],
      unknown({ member_base_id: ID, refs: ["r"] }),
    ],
  },
  "id/resolve": onlyId,
  "member/find": {
    accepted: [
      { ref: "x".repeat(256) },
      { ref: " spaces stay, exact bytes " },
      { ref: "r", pagination: { limit: 1000, cursor: null, skip: 0 } },
    ],
    refused: [
      [{}, "/ref", "is required"],
      [{ ref: 4711 }, "/ref", "must be string"],
      [{ ref: "" }, "/ref", "must have at least 1 character"],
      [{ ref: "x".repeat(257) }, "/ref", "must have at most 256 characters"],
      [{ ref: "a\nb" }, "/ref", PRINTABLE],
      [{ ref: "r", pagination: { limit: 1001 } }, "/pagination/limit", "must be at most 1000"],
      [{ ref: "r", member_base_id: ID }, "/member_base_id", "is not a known field"],
      unknown({ ref: "r" }),
    ],
  },
  "qualifying-purchase/list": {
    accepted: [
      { stamp_collection_id: ID },
      { stamp_collection_id: "" },
      { stamp_collection_id: ID, pagination: { limit: 1000, cursor: null, skip: 0 } },
    ],
    refused: [
      [{}, "/stamp_collection_id", "is required"],
      [{ stamp_collection_id: null }, "/stamp_collection_id", "must be string"],
      [{ stamp_collection_id: ID, pagination: { skip: -1 } }, "/pagination/skip", "must be at least 0"],
      [{ stamp_collection_id: ID, state: "live" }, "/state", "is not a known field"],
      unknown({ stamp_collection_id: ID }),
    ],
  },
  "member/bulk-upsert": {
    accepted: [
      member({ ref: "x".repeat(256) }),
      member({ ref: "\u{1f6d2}".repeat(256) }),
      member({ ref: " spaces stay, exact bytes " }),
      attributes({}),
      attributes({ text: "two\nlines", number: -1.5, yes: true, gone: null, tags: [], more: ["a", ""] }),
      attributes(JSON.parse('{"__proto__":"only a key","constructor":null}')),
      attributes({ ["k".repeat(256)]: 1 }),
      manyAttributes(64),
      manyMembers(5000),
    ],
    refused: [
      [{ members: [{ ref: "r" }] }, "/member_base_id", "is required"],
      [{ member_base_id: ID }, "/members", "is required"],
      [{ member_base_id: 1, members: [{ ref: "r" }] }, "/member_base_id", "must be string"],
      [{ member_base_id: ID, members: { ref: "r" } }, "/members", "must be array"],
      [{ member_base_id: ID, members: [] }, "/members", "must have at least 1 entry"],
      [manyMembers(5001), "/members", "must have at most 5000 entries"],
      unknown(member({ ref: "r" })),
      [{ member_base_id: ID, members: [null] }, "/members/0", "must be object"],
      [{ member_base_id: ID, members: ["r"] }, "/members/0", "must be object"],
      [member({}), "/members/1/ref", "is required"],
      [member({ ref: 4711 }), "/members/1/ref", "must be string"],
      [member({ ref: "" }), "/members/1/ref", "must have at least 1 character"],
      [member({ ref: "x".repeat(257) }), "/members/1/ref", "must have at most 256 characters"],
      [member({ ref: "a\u0000" }), "/members/1/ref", PRINTABLE],
      [member({ ref: "a\ud83d" }), "/members/1/ref", PRINTABLE],
      [member({ ref: "r", email: "x" }), "/members/1/email", "is not a known field"],
      [attributes(null), "/members/1/attributes", "must be object"],
      [attributes(["a"]), "/members/1/attributes", "must be object"],
      [manyAttributes(65), "/members/1/attributes", "must have at most 64 keys"],
      [attributes({ "": 1 }), "/members/1/attributes", BAD_KEY],
      [attributes({ ["k".repeat(257)]: 1 }), "/members/1/attributes", BAD_KEY],
      [attributes({ "a\nb": 1 }), "/members/1/attributes", BAD_KEY],
      [attributes({ "\ud800": 1 }), "/members/1/attributes", BAD_KEY],
      [attributes({ nested: {} }), "/members/1/attributes/nested", ATTRIBUTE],
      [attributes({ "a/b~c": {} }), "/members/1/attributes/a~1b~0c", ATTRIBUTE],
      [attributes({ text: "a\u0000" }), "/members/1/attributes/text", STORABLE],
      [attributes({ tags: ["a", 1] }), "/members/1/attributes/tags/1", "must be string"],
      [attributes({ tags: [["a"]] }), "/members/1/attributes/tags/0", "must be string"],
      [attributes({ tags: ["a", "\ud800"] }), "/members/1/attributes/tags/1", STORABLE],
    ],
  },
  "member/get": {
    accepted: [{ id: ID }, { member_base_id: ID, ref: "r" }, { id: "" }],
    refused: [
      [{}, "", ID_OR_REF],
      [{ ref: "r" }, "", ID_OR_REF],
      [{ member_base_id: ID }, "", ID_OR_REF],
      [{ id: ID, ref: "r" }, "", ID_OR_REF],
      [{ id: ID, member_base_id: ID, ref: "r" }, "", ID_OR_REF],
      [{ id: ID, typo: 1 }, "", ID_OR_REF],
      [{ member_base_id: ID, ref: "r", typo: 1 }, "", ID_OR_REF],
      [{ id: 1 }, "/id", "must be string"],
      [{ member_base_id: null, ref: "r" }, "/member_base_id", "must be string"],
      [{ member_base_id: ID, ref: 1 }, "/ref", "must be string"],
      [{ member_base_id: ID, ref: "" }, "/ref", "must have at least 1 character"],
      [{ member_base_id: ID, ref: "x".repeat(257) }, "/ref", "must have at most 256 characters"],
      [{ member_base_id: ID, ref: "\u0000" }, "/ref", PRINTABLE],
    ],
  },
  "transaction.batch/get": onlyId,
  "webhook/create": {
    accepted: [
      ...webhookFields(newWebhook).accepted,
      { ...newWebhook, secret: whsec(24) },
      { ...newWebhook, secret: whsec(64) },
    ],
    refused: [
      ...webhookFields(newWebhook).refused,
      [{ events: newWebhook.events }, "/url", "is required"],
      [{ url: newWebhook.url }, "/events", "is required"],
      [{ ...newWebhook, secret: whsec(23) }, "/secret", SECRET],
      [{ ...newWebhook, secret: whsec(65) }, "/secret", SECRET],
      [{ ...newWebhook, secret: whsec(24).slice(6) }, "/secret", SECRET],
      [{ ...newWebhook, secret: 1 }, "/secret", "must be string"],
      [{ ...newWebhook, state: "paused" }, "/state", "is not a known field"],
    ],
  },
  "webhook/get": onlyId,
  "webhook/list": pagination(),
  "webhook/update": {
    accepted: [
      ...webhookFields({ id: ID }).accepted,
      { id: "" },
      { id: ID, state: "enabled" },
      { ...newWebhook, id: ID, description: "x", state: "paused" },
    ],
    refused: [
      ...webhookFields({ id: ID }).refused,
      [newWebhook, "/id", "is required"],
      [{ id: 1 }, "/id", "must be string"],
      [{ id: ID, state: "disabled" }, "/state", "must be one of enabled, paused"],
      [{ id: ID, state: null }, "/state", "must be one of enabled, paused"],
      [{ id: ID, secret: whsec(32) }, "/secret", "is not a known field"],
    ],
  },
  "webhook/delete": onlyId,
  "webhook/rotate-secret": {
    accepted: [{ id: ID }, { id: "" }, { id: ID, overlap_seconds: 0 }, { id: ID, overlap_seconds: 604_800 }],
    refused: [
      ...onlyId.refused,
      [{ id: ID, overlap_seconds: -1 }, "/overlap_seconds", "must be at least 0"],
      [{ id: ID, overlap_seconds: 604_801 }, "/overlap_seconds", "must be at most 604800"],
      [{ id: ID, overlap_seconds: 1.5 }, "/overlap_seconds", "must be integer"],
      [{ id: ID, overlap_seconds: "60" }, "/overlap_seconds", "must be integer"],
      [{ id: ID, secret: whsec(32) }, "/secret", "is not a known field"],
    ],
  },
  "webhook/retry": onlyId,
  "webhook/test": onlyId,
  "webhook.delivery/list": {
    accepted: [
      { webhook_id: ID },
      { webhook_id: "" },
      ...DELIVERY_STATES.map((state) => ({ webhook_id: ID, state })),
      { webhook_id: ID, state: "failed", pagination: { limit: 1000, cursor: null, skip: 0 } },
      { webhook_id: ID, order: "oldest", since: "2026-03-01T10:00:00Z" },
      { webhook_id: ID, order: "newest", until: "2026-03-01T10:00:00+02:00", event_id: "" },
    ],
    refused: [
      [{}, "/webhook_id", "is required"],
      [{ id: ID }, "/webhook_id", "is required"],
      [{ webhook_id: 1 }, "/webhook_id", "must be string"],
      [{ webhook_id: ID, state: "parked" }, "/state", SOME_DELIVERY_STATE],
      [{ webhook_id: ID, state: null }, "/state", SOME_DELIVERY_STATE],
      [{ webhook_id: ID, state: "split" }, "/state", SOME_DELIVERY_STATE],
      [{ webhook_id: ID, order: "latest" }, "/order", "must be one of oldest, newest"],
      [{ webhook_id: ID, since: "2026-03-01" }, "/since", TIMESTAMP],
      [{ webhook_id: ID, until: 0 }, "/until", "must be string"],
      [{ webhook_id: ID, event_id: [ID] }, "/event_id", "must be string"],
      [{ webhook_id: ID, pagination: { limit: 1001 } }, "/pagination/limit", "must be at most 1000"],
      unknown({ webhook_id: ID }),
    ],
  },
  "webhook.delivery/get": onlyId,
  "event/list": {
    accepted: [
      {},
      { after: null },
      { after: "", limit: 1 },
      { after: "x".repeat(1024), limit: 1000 },
      { types: [...EVENT_TYPES, "webhook.test"] },
      { types: ["*"] },
      { types: ["qualifying_purchase.*", "webhook.test"] },
      { types: ["webhook.test"], transaction_ref: "é", since: "2026-03-01T10:00:00+02:00" },
    ],
    refused: [
      [{ after: 1 }, "/after", "must be string or null"],
      [{ after: "x".repeat(1025) }, "/after", "must have at most 1024 characters"],
      [{ limit: 0 }, "/limit", "must be at least 1"],
      [{ limit: 1001 }, "/limit", "must be at most 1000"],
      [{ limit: "1" }, "/limit", "must be integer"],
      [{ types: [] }, "/types", "must have at least 1 entry"],
      [{ types: ["cashback"] }, "/types/0", `must be one of ${EVENT_PATTERNS.join(", ")}, webhook.test`],
      [{ types: ["webhook.test", "webhook.test"] }, "/types", "must not have an entry twice"],
      [{ transaction_ref: "" }, "/transaction_ref", "must have at least 1 character"],
      [{ transaction_ref: "a\n" }, "/transaction_ref", PRINTABLE],
      [{ since: "yesterday" }, "/since", TIMESTAMP],
      [{ pagination: {} }, "/pagination", "is not a known field"],
      unknown({}),
    ],
  },
  "webhook.delivery/replay": {
    accepted: [
      replay({ event_ids: [ID] }),
      replay({ event_ids: Array.from({ length: 1000 }, () => "") }),
      replay({ since: "2026-03-01T10:00:00Z" }),
      replay({ since: "2026-03-01T10:00:00+02:00", until: "2026-03-01T10:00:00.123456789Z" }),
      replay({ failed: true }),
    ],
    refused: [
      [replay({}), "", REPLAY_BY],
      [{ failed: true }, "", REPLAY_BY],
      [replay({ until: "2026-03-01T10:00:00Z" }), "", REPLAY_BY],
      [replay({ failed: true, until: "2026-03-01T10:00:00Z" }), "", REPLAY_BY],
      [replay({ failed: true, since: "2026-03-01T10:00:00Z" }), "", REPLAY_BY],
      [replay({ failed: true, event_ids: [ID] }), "", REPLAY_BY],
      [replay({ event_ids: [ID], since: "2026-03-01T10:00:00Z" }), "", REPLAY_BY],
      [replay({ event_ids: [ID], until: "2026-03-01T10:00:00Z" }), "", REPLAY_BY],
      [
        replay({ event_ids: [ID], since: "2026-03-01T10:00:00Z", until: "2026-03-02T10:00:00Z" }),
        "",
        REPLAY_BY,
      ],
      [replay({ failed: true, typo: 1 }), "", REPLAY_BY],
      [{ webhook_id: null, failed: true }, "/webhook_id", "must be string"],
      [replay({ failed: false }), "/failed", "must be one of true"],
      [replay({ failed: "true" }), "/failed", "must be boolean"],
      [replay({ event_ids: [] }), "/event_ids", "must have at least 1 entry"],
      [
        replay({ event_ids: Array.from({ length: 1001 }, () => ID) }),
        "/event_ids",
        "must have at most 1000 entries",
      ],
      [replay({ event_ids: [ID, 1] }), "/event_ids/1", "must be string"],
      [replay({ event_ids: ID }), "/event_ids", "must be array"],
      [replay({ since: "yesterday" }), "/since", TIMESTAMP],
      [replay({ since: "2026-03-01T10:00:00Z", until: 0 }), "/until", "must be string"],
    ],
  },
  "transaction/list": {
    accepted: [
      { member_id: ID },
      { member_id: "" },
      { member_id: ID, pagination: { limit: 1000, cursor: null } },
      { member_id: ID, state: "reverted" },
      { member_id: ID, since: "2026-03-01T10:00:00Z" },
      { member_id: ID, state: "cleared", since: "2026-03-01T10:00:00Z", until: "2026-03-01T10:00:00+02:00" },
    ],
    refused: [
      [{}, "/member_id", "is required"],
      [{ member_id: 1 }, "/member_id", "must be string"],
      [{ member_id: ID, pagination: { limit: 1001 } }, "/pagination/limit", "must be at most 1000"],
      [{ member_id: ID, state: "settled" }, "/state", "must be one of authorized, cleared, reverted"],
      [{ member_id: ID, state: null }, "/state", "must be one of authorized, cleared, reverted"],
      ...timeSpan({ member_id: ID }),
      unknown({ member_id: ID }),
    ],
  },
  "transaction.rejection/list": {
    accepted: [
      ...pagination().accepted,
      { external_id: "x", member_id: "" },
      { member_id: ID, since: "2026-03-01T10:00:00Z", until: "2026-04-01T10:00:00.123456789Z" },
    ],
    refused: [
      ...pagination().refused,
      ...timeSpan({}),
      [{ external_id: "" }, "/external_id", "must have at least 1 character"],
      [{ member_id: null }, "/member_id", "must be string"],
    ],
  },
  "transaction/export": {
    accepted: [
      ...pagination().accepted,
      { since: "2026-03-01T10:00:00Z", until: "2026-04-01T10:00:00.123456789Z" },
    ],
    refused: [...pagination().refused, ...timeSpan({})],
  },
  "transaction/get": {
    accepted: [{ external_id: "x" }, { external_id: "x".repeat(128) }, { external_id: "4111111111111111" }],
    refused: [
      [{}, "/external_id", "is required"],
      [{ id: "x" }, "/external_id", "is required"],
      [{ external_id: 1 }, "/external_id", "must be string"],
      [{ external_id: "" }, "/external_id", "must have at least 1 character"],
      [{ external_id: "x".repeat(129) }, "/external_id", "must have at most 128 characters"],
      [{ external_id: "a\u0007" }, "/external_id", PRINTABLE],
      unknown({ external_id: "x" }),
    ],
  },
  "transaction/trace": {
    accepted: [{ external_id: "x" }, { external_id: "x".repeat(128) }],
    refused: [
      [{}, "/external_id", "is required"],
      [{ external_id: "x".repeat(129) }, "/external_id", "must have at most 128 characters"],
      unknown({ external_id: "x" }),
    ],
  },
  "wallet.cashback/list": ofMember,
  "wallet.clip/list": ofMember,
  "wallet.redemption/list": ofMember,
  "wallet.clip/save": memberAnd("deal_id"),
  "wallet.stamp-collection/create": memberAnd("loyalty_program_id"),
  "wallet.stamp-collection/get": onlyId,
  "wallet.stamp-collection/list": ofMember,
};

t.test("requests - every route has its examples", async (t) => {
  const tested = new Set([...Object.keys(EXAMPLES), "transaction/ingest"]);
  for (const route of Object.keys(ROUTES)) t.ok(tested.has(route), route);
});

function issueIn(route: RouteName, body: unknown): Issue | undefined {
  const validate = VALIDATORS[route];
  if (validate(JSON.parse(JSON.stringify(body)))) return undefined;
  const violation = validate.errors?.at(-1);
  if (violation === undefined) throw new Error("refused without a reason");
  return describeViolation(violation);
}

const FORMS: Readonly<Partial<Record<RouteName, string>>> = {
  "member/get": ID_OR_REF,
  "member/bulk-delete": DELETE_BY,
  "webhook.delivery/replay": REPLAY_BY,
};

const show = (body: unknown) => JSON.stringify(body).slice(0, 80);

for (const [route, { accepted, refused }] of Object.entries(EXAMPLES) as [RouteName, Examples][]) {
  t.test(`${route} - well-formed requests are taken, to their bounds`, async (t) => {
    for (const body of accepted) t.equal(issueIn(route, body), undefined, show(body));
  });

  t.test(`${route} - malformed requests are refused by place and rule`, async (t) => {
    for (const [body, path, message] of refused) {
      t.strictSame(issueIn(route, body), { path, message }, show(body));
    }
    for (const body of [null, 1, "x", true, [], [{}]]) {
      // A schema with several forms names them instead of the type: none of them is fulfilled, and that is
      // seen first.
      const message = FORMS[route] ?? "must be object";
      t.strictSame(issueIn(route, body), { path: "", message }, show(body));
    }
  });
}

t.test("requests - filters nested a million deep are refused like those nested too deep", async (t) => {
  const depth = 1_000_000;
  const body = JSON.parse(`{"filters":[${'{"or":['.repeat(depth)}${"]}".repeat(depth)}]}`);
  const validate = VALIDATORS["member-base/list"];
  t.notOk(validate(body));
  t.match(validate.errors?.at(-1), { instancePath: "/filters/0/or/0/or/0/or/0/or/0/or/0", keyword: "oneOf" });
});
