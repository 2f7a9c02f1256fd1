import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { WebhookEvent } from "#contract";
import { encodeId } from "#domain";
import type { RewardEvent } from "#test-support";
import { type Book, fromAnswer, type SentRequest, showRejected } from "./book.ts";
import type { Caller } from "./caller.ts";
import { inParallel } from "./in-parallel.ts";
import type { Installation } from "./installation.ts";
import { describe, type Expected } from "./lifecycle.ts";
import type { Poller } from "./poller.ts";
import type { Problem } from "./problem.ts";
import type { Purchase } from "./purchase.ts";
import type { Reviser } from "./reviser.ts";
import { RewardLedger } from "./reward-ledger.ts";
import type { Till } from "./till.ts";
import type { WebhookDesk } from "./webhook-desk.ts";
import type { Shopper } from "./world.ts";

export interface Audited {
  readonly installation: Installation;
  readonly caller: Caller;
  readonly book: Book;
  readonly reviser: Reviser;
  readonly till: Till;
  readonly desk: WebhookDesk;
  readonly poller: Poller;
  readonly shoppers: readonly Shopper[];
  readonly purchases: readonly Purchase[];
}

type RejectedEvent = Extract<WebhookEvent, { readonly type: "transaction.rejected" }>;

const CLI = fileURLToPath(new URL("../../packages/cli/src/main.js", import.meta.url));

/**
 * Compares the stored, reported and shown data with the answers. Call it repeatedly while the rest arrives.
 */
export class Audit {
  readonly #about: Audited;
  /** Batches known to be right: they do not change any more. */
  readonly #goodBatches = new Set<SentRequest>();

  constructor(about: Audited) {
    this.#about = about;
  }

  /** Checks all but the wallets, the webhooks' order and `stampede verify`. */
  async look(): Promise<Problem[]> {
    const { desk, book, reviser, till, shoppers, purchases } = this.#about;
    const events = await this.events();
    const isReward = (event: WebhookEvent) =>
      event.type.startsWith("cashback") || event.type.startsWith("qual");
    const rewards = new RewardLedger({
      book,
      reviser,
      shoppers,
      purchases,
      events: events.filter(isReward) as RewardEvent[],
    });
    const unheard = desk.missing(events);
    return [
      ...[...book.finish(), ...till.problems].map((text) => problem("answer", text)),
      ...(await this.#stored()),
      ...(await this.#batches()),
      ...rewards.judge(),
      ...this.#rejections(events),
      ...(unheard === 0
        ? []
        : [problem("webhook", `${unheard} events were not accepted by their webhook yet`)]),
    ];
  }

  /** Checks everything, once. */
  async finish(): Promise<Problem[]> {
    const { desk, poller, book, reviser, caller, shoppers, purchases } = this.#about;
    const found = await this.look();
    const events = await this.events();
    const rewards = new RewardLedger({
      book,
      reviser,
      shoppers,
      purchases,
      events: events.filter(({ type }) => type !== "transaction.rejected") as RewardEvent[],
    });
    rewards.judge();
    const wallets = await rewards.compareWallets(caller);
    const heard = desk.finish(events).map((text) => problem("webhook", text));
    const unread = await poller.missing(events);
    const unseen = unread === 0 ? [] : [problem("poller", `event/list never had ${unread} events`)];
    const ids = new Set(events.map((event) => event.event_id));
    const doubled = ids.size === events.length ? [] : [problem("event", "an event id is there twice")];
    return [...found, ...wallets, ...heard, ...unseen, ...doubled, ...(await this.#verify())];
  }

  /** All events, in the order of their numbers. */
  async events(): Promise<WebhookEvent[]> {
    const { store, publisher } = this.#about.installation;
    const rows = await store<{ body: string }[]>`
      select body from events where organisation_id = ${publisher.organisationId} order by sequence`;
    return rows.map(({ body }) => JSON.parse(body) as WebhookEvent);
  }

  async #stored(): Promise<Problem[]> {
    const { book, installation } = this.#about;
    const rows = await installation.store<Row[]>`
      select external_id as "externalId", member_id as "memberId", state, network, merchant_id as "merchantId",
             statement_descriptor as descriptor, amount, currency, authed_at as "authedAt", cleared_at as "clearedAt",
             reverted_at as "revertedAt", encode(identifier_6, 'hex') as six, encode(identifier_8, 'hex') as eight
      from transactions where organisation_id = ${installation.publisher.organisationId}`;
    const problems: Problem[] = [];
    const seen = new Set<string>();
    for (const row of rows) {
      const { externalId } = row;
      seen.add(externalId);
      const expected = book.entries.get(externalId)?.expected;
      const got = describe(fromRow(row));
      const wanted = expected === undefined ? "not stored" : describe(expected);
      if (got === wanted) continue;
      problems.push(
        problem("stored", `${externalId}\n  expected ${wanted}\n  got      ${got}`, [externalId]),
      );
    }
    for (const [externalId, { expected }] of book.entries) {
      if (expected === undefined || seen.has(externalId)) continue;
      const wanted = describe(expected);
      problems.push(
        problem("stored", `${externalId}\n  expected ${wanted}\n  got      nothing`, [externalId]),
      );
    }
    return problems;
  }

  async #batches(): Promise<Problem[]> {
    const { book, caller } = this.#about;
    const problems: Problem[] = [];
    const open = book.batches.filter((request) => !this.#goodBatches.has(request));
    await inParallel(open, 8, async (request) => {
      const { batchId, events, rejected } = request;
      const { body } = await caller.until("publisher", "transaction.batch/get", { id: batchId });
      const told = showRejected(fromAnswer(body.rejected ?? []));
      const wanted = { status: "processed", accepted: events.length - rejected.length };
      if (
        body.status === wanted.status &&
        body.accepted === wanted.accepted &&
        told === showRejected(rejected)
      ) {
        this.#goodBatches.add(request);
        return;
      }
      const text = `${batchId} of request ${request.number}
  expected ${JSON.stringify(wanted)}, rejected: ${showRejected(rejected) || "none"}
  got      ${JSON.stringify(body).slice(0, 2_000)}`;
      problems.push(
        problem(
          "batch",
          text,
          events.slice(0, 1).map((event) => event.external_id),
        ),
      );
    });
    return problems;
  }

  /**
   * A caller that asked for 202 gets an event for each rejection, once; a caller that waited gets none,
   * whatever the answer.
   */
  #rejections(events: readonly WebhookEvent[]): Problem[] {
    const { book } = this.#about;
    const told = new Map<string, RejectedEvent[]>();
    for (const event of events) {
      if (event.type !== "transaction.rejected") continue;
      const key = `${event.batch_id} ${event.transaction_ref} ${event.code} ${event.reason}`;
      told.set(key, [...(told.get(key) ?? []), event]);
    }
    const problems: Problem[] = [];
    const due = new Map<string, number>();
    const asked = book.batches.filter(({ isAsync }) => isAsync);
    const batchIds = new Set(asked.map(nameOf));
    for (const request of asked) {
      for (const { externalId, code, reason } of request.rejected) {
        const key = `${nameOf(request)} ${externalId} ${code} ${reason}`;
        due.set(key, (due.get(key) ?? 0) + 1);
      }
    }
    for (const [key, count] of due) {
      const found = told.get(key)?.length ?? 0;
      const ref = key.split(" ")[1] as string;
      if (found !== count)
        problems.push(problem("rejection", `${key}: told ${found} times, not ${count}`, [ref]));
    }
    for (const [key, found] of told) {
      const { batch_id, transaction_ref: ref, reason } = found[0] as RejectedEvent;
      if (due.has(key)) continue;
      const tries = batchIds.has(batch_id) ? 0 : this.#unknownTries(ref, reason);
      if (found.length > tries)
        problems.push(problem("rejection", `${key}: told ${found.length} times unasked`, [ref]));
    }
    return problems;
  }

  /**
   * How often an event of an unknown batch may report a rejection: once for each unanswered attempt at a
   * request that asked for 202. Each attempt may have been one batch.
   */
  #unknownTries(ref: string, reason: string): number {
    const requests = this.#about.book.entries.get(ref)?.requests ?? [];
    return requests
      .filter(({ isAsync }) => isAsync)
      .flatMap(({ attempts, rejected }) => {
        const times = rejected.filter((one) => one.externalId === ref && one.reason === reason).length;
        return attempts.map(({ status }) => (status === undefined || status === 500 ? times : 0));
      })
      .reduce((sum: number, times) => sum + times, 0);
  }

  async #verify(): Promise<Problem[]> {
    const env = { PATH: process.env.PATH, DATABASE_URL: this.#about.installation.databaseUrl };
    try {
      await promisify(execFile)(process.execPath, [CLI, "verify"], { env });
      return [];
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      return [problem("verify", `stampede verify: ${stdout}${stderr}`)];
    }
  }
}

interface Row extends Omit<Expected, "authedAt" | "clearedAt" | "revertedAt"> {
  readonly externalId: string;
  readonly authedAt: Date;
  readonly clearedAt: Date | null;
  readonly revertedAt: Date | null;
}

function fromRow(row: Row): Expected {
  return {
    ...row,
    memberId: encodeId("m", row.memberId),
    authedAt: row.authedAt.toISOString(),
    clearedAt: row.clearedAt?.toISOString() ?? null,
    revertedAt: row.revertedAt?.toISOString() ?? null,
  };
}

function problem(kind: string, text: string, refs: readonly string[] = []): Problem {
  return { kind, text, refs };
}

/** The part of a batch's id by which events and rejections name it. */
export function nameOf({ batchId }: SentRequest): string {
  return (batchId ?? "").split(".")[0] as string;
}
