import { readFileSync } from "node:fs";
import { uuidv7 } from "uuidv7";
import { encodeId } from "#domain";
import type { ConsoleRole } from "#publisher-db";
import { LONG_LISTS, type ManyRows } from "./console-rows.ts";
import type { ConsoleScene } from "./console-scene.ts";

/** Why a page has no such state. */
interface Never {
  readonly never: string;
}

/** How a page looks when it has nothing to show. */
interface Empty {
  /** Default: the address of the view. The page of the empty organisation, unless `answers` are given. */
  readonly at?: (scene: ConsoleScene) => string;
  /**
   * By route, for what the scene cannot leave empty: the platform's configuration belongs to no organisation.
   */
  readonly answers?: Readonly<Record<string, object>>;
  readonly shows: RegExp;
}

/** A page with its data. */
export interface View {
  /** Its address below the base, and the text that it must show. */
  readonly at: (scene: ConsoleScene) => string;
  readonly shows: RegExp;
  /** The name of its pictures. */
  readonly picture: string;
  /** The buttons that open a dialog. */
  readonly dialogs?: readonly string[];
}

/** A page in each of its states. */
export interface PageCase extends View {
  /** The request that the whole page depends on: the test holds it, fails it, and may forbid it. */
  readonly asks: string | Never;
  /** The text when that request fails; default: that this could not be loaded. */
  readonly failed?: RegExp;
  /** It asks again by itself, without a button. */
  readonly heals?: true;
  /** Why it does not say that a role may not see something. */
  readonly forbidden?: Never;
  /** Requests of parts of the page: if one fails, the other parts stay. */
  readonly parts?: readonly string[];
  readonly empty: readonly Empty[];
  readonly many: readonly ManyRows[] | Never;
}

const PAGE = { page_size: 0, cursor: null, more: false, total: 0 };
const NO_ROWS = { data: [], page: PAGE };

/** Of a pipeline without operations endpoints. */
const NOBODY_ASKED = {
  at: [],
  refusedPerSecond: [],
  hops: [],
  now: {
    at: Date.UTC(2026, 10, 23),
    hops: ["edge", "ingest", "platform", "rewards", "webhooks"].map((name) => ({
      name,
      state: "not asked",
      notes: [],
    })),
    requestsPerSecond: null,
    refusedPerSecond: null,
    silent: [],
    streamsProblem: null,
  },
};

const never = (reason: string): Never => ({ never: reason });

/** A list of the platform. */
const list = (path: string, asks: string, shows: RegExp, many: ManyRows): PageCase => ({
  picture: path.slice(1).replaceAll("/", "-"),
  at: () => path,
  shows,
  asks,
  empty: [{ answers: { [asks]: NO_ROWS }, shows: /There are none yet/ }],
  many: [many],
});

const NO_LIST = never("there is no list on it that grows");
/** An id that no record has. */
const unknown = (kind: "lp" | "deal" | "ret") => encodeId(kind, uuidv7());

/** Every page of the console, by its path in `services/console/page/pages.ts`. */
export const PAGE_CASES: Readonly<Record<string, PageCase>> = {
  "/live": {
    picture: "live",
    at: () => "/live",
    shows: /edge[\s\S]*ingest[\s\S]*platform[\s\S]*rewards[\s\S]*webhooks/,
    asks: "live",
    heals: true,
    empty: [{ answers: { live: NOBODY_ASKED }, shows: /No process is asked/ }],
    many: never("its samples are charts, fifteen minutes at most"),
  },
  "/find": {
    picture: "find",
    at: () => "/find",
    shows: /its external_id/,
    asks: never("it asks nothing before a user has entered something to look for"),
    empty: [{ shows: /its external_id/ }],
    many: NO_LIST,
  },
  "/find/:query": {
    picture: "found",
    at: () => `/find/${encodeURIComponent("ada@example.com")}`,
    shows: /in the memberbase/,
    asks: "publisher.v1/member/find",
    failed: /This could not be looked for/,
    forbidden: never("a look-up that is refused is told as one of several that failed"),
    empty: [
      { shows: /Nothing was found/ },
      { at: () => `/find/${"x".repeat(300)}`, shows: /Nothing can have/ },
    ],
    many: never("at most 20 members of a ref are shown"),
  },
  "/purchase/:externalId": {
    picture: "purchase",
    at: ({ stamped }) => `/purchase/${stamped.external_id}`,
    shows: /Stamp \d of 5[\s\S]*What counted, and what did not[\s\S]*Earned/,
    asks: "publisher.v1/transaction/trace",
    parts: ["publisher.v1/transaction.rejection/list", "explain"],
    empty: [{ shows: /No purchase has this external_id/ }],
    many: never("the newest 100 rejections of a purchase are shown"),
  },
  "/member/:id": {
    picture: "member",
    at: ({ memberId }) => `/member/${memberId}`,
    shows: /Coffee card[\s\S]*Ten per cent this month/,
    asks: "publisher.v1/member/get",
    parts: [
      "publisher.v1/wallet.stamp-collection/list",
      "publisher.v1/transaction/list",
      "publisher.v1/wallet.clip/list",
      "publisher.v1/wallet.cashback/list",
      "publisher.v1/wallet.redemption/list",
      "publisher.v1/transaction.rejection/list",
    ],
    empty: [{ shows: /There is no such member/ }],
    many: [
      LONG_LISTS.purchases,
      LONG_LISTS.rejections,
      LONG_LISTS.stamps,
      LONG_LISTS.clips,
      LONG_LISTS.cashbacks,
      LONG_LISTS.redemptions,
    ],
  },
  "/webhooks": {
    picture: "webhooks",
    at: () => "/webhooks",
    shows: /Loyalty app[\s\S]*Old till/,
    asks: "publisher.v1/webhook/list",
    empty: [{ shows: /No webhook is registered/ }],
    many: never("an organisation has a webhook for each of its systems"),
  },
  "/webhook/:id": {
    picture: "webhook-failing",
    at: ({ failingWebhookId }) => `/webhook/${failingWebhookId}`,
    shows: /Old till[\s\S]*failing[\s\S]*answered 503/,
    asks: "publisher.v1/webhook/get",
    parts: ["publisher.v1/webhook.delivery/list"],
    empty: [{ shows: /There is no such webhook/ }],
    many: [LONG_LISTS.deliveries],
    dialogs: ["Retry now", "Test", "Replay", "Pause"],
  },
  "/delivery/:id": {
    picture: "delivery",
    at: ({ deliveryId }) => `/delivery/${deliveryId}`,
    shows: /the till is being restarted/,
    asks: "publisher.v1/webhook.delivery/get",
    empty: [{ shows: /There is no such delivery/ }],
    many: never("the first 20 of its at most 100 events are named"),
    dialogs: ["Replay"],
  },
  "/dead-letters": {
    picture: "dead-letters",
    at: () => "/dead-letters",
    shows: /poison_event/,
    asks: "dead-letters/groups",
    empty: [{ shows: /There are none: everything could be handled/ }],
    many: never("it has a row for each stream and reason"),
    dialogs: ["Put back", "Discard"],
  },
  "/dead-letters/:stream/:reason": {
    picture: "dead-letters-of-group",
    at: () => "/dead-letters/INGEST/poison_event",
    shows: /23514/,
    asks: "dead-letters/list",
    empty: [{ shows: /There are none any more/ }],
    many: [LONG_LISTS.letters],
  },
  "/dead-letter/:sequence": {
    picture: "dead-letter",
    at: () => "/dead-letter/1",
    shows: /poison_event[\s\S]*M-REFUSED/,
    asks: "dead-letters/show",
    empty: [{ shows: /There is no such dead letter/ }],
    many: NO_LIST,
    dialogs: ["Put back", "Discard"],
  },
  "/programs": list("/programs", "platform.v1/loyalty-program/list", /Coffee card/, LONG_LISTS.programs),
  "/programs/deals": list(
    "/programs/deals",
    "platform.v1/deal/list",
    /Ten per cent this month/,
    LONG_LISTS.deals,
  ),
  "/programs/retailers": list(
    "/programs/retailers",
    "platform.v1/retailer/list",
    /Coffee Corner/,
    LONG_LISTS.retailers,
  ),
  "/program/:id": {
    picture: "program",
    at: ({ shop }) => `/program/${shop.programId}`,
    shows: /What it gives[\s\S]*Dry run/,
    asks: "platform.v1/loyalty-program/get",
    empty: [{ at: () => `/program/${unknown("lp")}`, shows: /It is not there/ }],
    many: NO_LIST,
    dialogs: ["Save", "Remove"],
  },
  "/deal/:id": {
    picture: "deal",
    at: ({ shop }) => `/deal/${shop.dealId}`,
    shows: /What it gives[\s\S]*Dry run/,
    asks: "platform.v1/deal/get",
    empty: [{ at: () => `/deal/${unknown("deal")}`, shows: /It is not there/ }],
    many: NO_LIST,
    dialogs: ["Save", "Remove"],
  },
  "/retailer/:id": {
    picture: "retailer",
    at: ({ shop }) => `/retailer/${shop.retailerId}`,
    shows: /Coffee Corner/,
    asks: "platform.v1/retailer/get",
    empty: [{ at: () => `/retailer/${unknown("ret")}`, shows: /There is no such retailer/ }],
    many: NO_LIST,
    dialogs: ["Save", "Remove"],
  },
  "/audit": {
    picture: "audit",
    at: () => "/audit",
    shows: /transaction\/trace/,
    asks: "audit",
    empty: [{ answers: { audit: NO_ROWS }, shows: /Nothing has been looked up/ }],
    many: [LONG_LISTS.audit],
  },
  "/sessions": {
    picture: "sessions",
    at: () => "/sessions",
    // The head of its table, which stands there for every role.
    shows: /Until/,
    asks: "sessions/list",
    empty: [{ answers: { "sessions/list": { entrances: [] } }, shows: /None is open/ }],
    many: never("at most 500 are listed"),
    dialogs: ["End all"],
  },
};

/** The same pages, with other contents. */
export const MORE_VIEWS: readonly View[] = [
  {
    picture: "purchase-without",
    at: ({ unstamped }) => `/purchase/${unstamped.external_id}`,
    shows: /No stamp/,
  },
  {
    picture: "webhook",
    at: ({ webhookId }) => `/webhook/${webhookId}`,
    shows: /Loyalty app[\s\S]*answered 200/,
  },
  {
    picture: "member-idle",
    at: ({ idleMemberId }) => `/member/${idleMemberId}`,
    shows: /in no loyalty program[\s\S]*has bought nothing yet/,
  },
  { picture: "program-new", at: () => "/program/new", shows: /New program/ },
  { picture: "deal-new", at: () => "/deal/new", shows: /New deal/ },
  { picture: "retailer-new", at: () => "/retailer/new", shows: /New retailer/ },
];

export interface ListedPage {
  readonly path: string;
  readonly role: ConsoleRole;
}

/** The pages that the console has, as its one list of them says. */
export function listedPages(): ListedPage[] {
  // As text: its components are of a project for browsers, which nothing here can load.
  const source = readFileSync(new URL("../../../services/console/page/pages.ts", import.meta.url), "utf8");
  const entries = [...source.matchAll(/\{[^{}]*\bpath: "([^"]+)"[^{}]*\brole: "(\w+)"[^{}]*\}/g)];
  return entries.map(([, path, role]) => ({ path: String(path), role: role as ConsoleRole }));
}
