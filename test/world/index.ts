/** The users of an installation, and the audit of every answer that they get. */

export { nameOf } from "./audit.ts";
export type { Attempt, Book } from "./book.ts";
export { Caller } from "./caller.ts";
export type { Gate } from "./gate.ts";
export { type Expected, fold } from "./lifecycle.ts";
export { historyOf, type Problem } from "./problem.ts";
export type { Shopping } from "./shopping.ts";
export { siteOf } from "./site.ts";
export { Spans } from "./spans.ts";
export { tally } from "./tally.ts";
export type { Till } from "./till.ts";
export type { WebhookDesk } from "./webhook-desk.ts";
export { World } from "./world.ts";
