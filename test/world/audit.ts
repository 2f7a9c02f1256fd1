import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { WebhookEvent } from "#contract";
import { encodeId } from "#domain";
import type { RewardEvent } from "#test-support";
import { type Book, comparableReason, fromAnswer, type SentRequest, showRejected } from "./book.ts";
import type { Caller } from "./caller.ts";
import { inParallel } from "./in-parallel.ts";
import { describe, type Expected } from "./lifecycle.ts";
import type { Problem } from "./problem.ts";
import { RewardLedger } from "./reward-ledger.ts";
import type { Shopping } from "./shopping.ts";
import type { Site } from "./site.ts";

export interface Audited {
  readonly site: Site;
  readonly caller: Caller;
  readonly book: Book;
  readonly shopping: Shopping | undefined;
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
    const { book, shopping } = this.#about;
    const events = await this.events();
    const found = [
      ...book.problems.map((text) => problem("answer", text)),
      ...(await this.#stored()),
      ...(await this.#batches()),
      ...this.#rejections(events),
    ];
    if (shopping === undefined) return found;
    const unheard = shopping.desk.missing(events);
    return [
      ...found,
      ...shopping.till.problems.map((text) => problem("answer", text)),
      ...ledgerOf(book, shopping, events).judge(),
      ...(unheard === 0
        ? []
        : [problem("webhook", `${unheard} events were not accepted by their webhook yet`)]),
    ];
  }

  /** Checks everything, once. */
  async finish(): Promise<Problem[]> {
    const { book, caller, shopping } = this.#about;
    const found = await this.look();
    const events = await this.events();
    const ids = new Set(events.map((event) => event.event_id));
    if (ids.size !== events.length) found.push(problem("event", "an event id is there twice"));
    if (shopping === undefined) return found;
    const { desk, poller } = shopping;
    const rewards = ledgerOf(book, shopping, events);
    rewards.judge();
    const wallets = await rewards.compareWallets(caller);
    const heard = desk.finish(events).map((text) => problem("webhook", text));
    const unread = await poller.missing(events);
    const unseen = unread === 0 ? [] : [problem("poller", `event/list never had ${unread} events`)];
    return [...found, ...wallets, ...heard, ...unseen, ...(await this.#verify())];
  }

  /** All events, in the order of their numbers. */
  async events(): Promise<WebhookEvent[]> {
    const { store, publisher } = this.#about.site;
    const rows = await store<{ body: string }[]>`
      select body from events where organisation_id = ${publisher.organisationId} order by sequence`;
    return rows.map(({ body }) => JSON.parse(body) as WebhookEvent);
  }

  async #stored(): Promise<Problem[]> {
    const { book, site } = this.#about;
    const rows = await site.store<Row[]>`
      select external_id as "externalId", member_id as "memberId", state, network, merchant_id as "merchantId",
             statement_descriptor as descriptor, amount, currency, authed_at as "authedAt", cleared_at as "clearedAt",
             reverted_at as "revertedAt", encode(identifier_6, 'hex') as six, encode(identifier_8, 'hex') as eight
      from transactions where organisation_id = ${site.publisher.organisationId}`;
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
      const { batch_id, transaction_ref, code, reason } = event;
      const key = `${batch_id} ${transaction_ref} ${code} ${comparableReason(reason)}`;
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
      const tries = batchIds.has(batch_id) ? 0 : this.#unknownTries(ref, comparableReason(reason));
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
    const env = { PATH: process.env.PATH, DATABASE_URL: this.#about.site.databaseUrl };
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

/** @param events all events; those of rewards are judged */
function ledgerOf(book: Book, shopping: Shopping, events: readonly WebhookEvent[]): RewardLedger {
  const ofRewards = events.filter(({ type }) => type !== "transaction.rejected") as RewardEvent[];
  return new RewardLedger({ ...shopping, book, events: ofRewards });
}

function problem(kind: string, text: string, refs: readonly string[] = []): Problem {
  return { kind, text, refs };
}

/** The part of a batch's id by which events and rejections name it. */
export function nameOf({ batchId }: SentRequest): string {
  return (batchId ?? "").split(".")[0] as string;
}
