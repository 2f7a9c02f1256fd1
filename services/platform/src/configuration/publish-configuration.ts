import { FLOW, LIMITS } from "#contract";
import type { ConfigMessage } from "#contract/platform";
import { retryDelayMs } from "#domain";
import {
  countConfigMessages,
  ensureStream,
  ensureTopology,
  messagingAttributes,
  publishNewerConfig,
  type Stream,
  type TopologyOptions,
} from "#nats";
import type { Sql, Store } from "#postgres";
import { type Log, type Repeated, repeat, type Span, type Tracing, untilDone } from "#runtime";
import type { LinkMetrics } from "../metrics.ts";
import { dealTable, toDealConfig } from "./deals.ts";
import { programTable, toProgramConfig } from "./programs.ts";
import { removeGhosts } from "./remove-ghosts.ts";
import type { RetroactiveSpan, VersionedRow, VersionedTable } from "./revised-table.ts";

/** How often the publisher looks for revisions that a crash or an outage left unpublished. */
const POLL_MS = 500;
/** How often the publisher checks whether the stream still has all programs and deals. */
const LOOK_MS = 5_000;
/** The number of programs or deals published concurrently: one may have nearly 1 MiB. */
const PAGE = 20;
/** The most requests that the span of one turn links to: OpenTelemetry's SDK accepts no more links. */
const CAUSES_MAX = 128;

interface PublisherParts {
  readonly store: Store;
  readonly stream: Stream;
  /** The sizes of a stream that has to be recreated. */
  readonly topology: TopologyOptions;
  /** Throws while this database may be a copy and must publish nothing newer (`CopyGuard`). */
  readonly assertAlone: () => Promise<void>;
  readonly metrics: LinkMetrics;
  readonly tracing?: Tracing | undefined;
  readonly log: Log;
}

/** A revision, and how to mark that the stream has it. */
interface Revision {
  readonly id: string;
  readonly message: ConfigMessage;
  mark(): Promise<void>;
  /**
   * Gives the record a revision above `held`, unless it changed since it was read. @returns whether it still
   * had the same revision
   */
  pass(held: number): Promise<boolean>;
}

/**
 * Brings the current state of each program and deal to the publishers, in a stream that keeps the last
 * message of each.
 *
 * `kick` publishes a change immediately; every 500 ms the publisher looks for unpublished changes. Crashes
 * and races considered:
 * - A crash between the commit of a change and its publication: this process or another finds it unpublished.
 * - A crash between the publication and its mark: it is published again, and the stream has it already.
 * - Two processes, or two attempts of one, publish different revisions of a record: the stream never goes
 *   back
 *   (`publishNewerConfig`), so no lock is held during a publication.
 * - The database was restored, and the stream has a newer revision: the database's state counts, and the
 *   publisher gives it a
 *   revision above that one. It removes records that only the stream has (`removeGhosts`).
 * - The stream was wiped, deleted or restored from a backup, so that the marks are wrong: everything is
 *   compared with the
 *   stream at the start, when the connection is back, and when the stream holds fewer messages than were
 *   marked.
 */
export class ConfigurationPublisher {
  readonly #parts: PublisherParts;
  readonly #loop: Repeated;
  /** Its own loop: another stream may have no room, or no leader, and programs and deals do not wait for it. */
  readonly #streams: Repeated;
  #areStreamsThere = true;
  readonly #endWatch: () => void;
  #isWhole = false;
  /** The spans of the requests since the last turn, only in memory: after a crash a change is published untraced. */
  #causes: string[] = [];
  #lookAt = 0;

  constructor(parts: PublisherParts) {
    this.#parts = parts;
    const every = {
      everyMs: POLL_MS,
      againMs: (failures: number) => Math.min(LIMITS.publishRetryMs, retryDelayMs(failures, Math.random())),
    };
    this.#loop = repeat({
      ...every,
      name: "configuration",
      work: (stop) => this.#turn(stop),
      failed: "configuration was not published; trying again",
      log: parts.log,
    });
    this.#streams = repeat({
      ...every,
      name: "streams of the link",
      work: () => this.#ensureStreams(),
      failed: "a stream of the link is missing, or not as this process is set; trying again",
      log: parts.log,
    });
    this.#endWatch = parts.stream.onConnection((connected) => {
      this.#isWhole = false;
      if (connected) this.#loop.kick();
    });
  }

  /**
   * Publishes a change now, without waiting for the next look.
   * @param cause `traceparent` of the request that made the change, if it is traced
   */
  kick(cause?: string): void {
    if (cause !== undefined && this.#causes.length < CAUSES_MAX) this.#causes.push(cause);
    this.#loop.kick();
  }

  async stop(): Promise<void> {
    this.#endWatch();
    await Promise.all([this.#loop.stop(), this.#streams.stop()]);
  }

  async #ensureStreams(): Promise<void> {
    const { stream, topology } = this.#parts;
    if (this.#areStreamsThere || !stream.connected()) return;
    this.#areStreamsThere = true;
    await ensureTopology(stream, topology, "platform").catch((error) => {
      this.#areStreamsThere = false;
      throw error;
    });
  }

  async #turn(stop: AbortSignal): Promise<void> {
    const { stream, tracing } = this.#parts;
    if (!stream.connected()) return;
    const sending = tracing?.follow({
      name: `send ${FLOW.config.stream}`,
      kind: "producer",
      from: this.#causes,
      attributes: messagingAttributes("send", FLOW.config),
    });
    this.#causes = [];
    await untilDone(sending, async (span) => {
      const failed = await this.#publishNews(stop, span).catch((error) => {
        this.#isWhole = false;
        throw error;
      });
      if (failed === 0) return;
      throw Object.assign(new Error(`${failed} programs and deals failed`), { code: "publish_failed" });
    });
  }

  /** @returns the number of failures */
  async #publishNews(stop: AbortSignal, span: Span | undefined): Promise<number> {
    await this.#look();
    const isWhole = this.#isWhole;
    // Set before publishing: a connection that breaks from here on resets it.
    this.#isWhole = true;
    const failed = isWhole
      ? await this.#publish({ unpublished: true }, stop, span)
      : await this.#publishAll(stop);
    if (failed === 0) return 0;
    // The stream may be gone, so the next look comes soon. Even if this turn published everything, the next
    // must do so again: a turn that looks for unpublished revisions would not find the marked ones.
    this.#lookAt = 0;
    if (!isWhole) this.#isWhole = false;
    return failed;
  }

  /**
   * Compares numbers of messages. Counts marked revisions first: each is in the stream before it is marked,
   * so a complete stream never has fewer.
   */
  async #look(): Promise<void> {
    const now = performance.now();
    if (now < this.#lookAt || !this.#isWhole) return;
    const published = await countPublished(this.#parts.store);
    this.#isWhole = (await countConfigMessages(this.#parts.stream)) >= published;
    this.#lookAt = now + LOOK_MS;
  }

  async #publishAll(stop: AbortSignal): Promise<number> {
    const { stream, topology, metrics, log } = this.#parts;
    this.#areStreamsThere = false;
    this.#streams.kick();
    await ensureStream(stream, FLOW.config, 0, topology);
    metrics.republished();
    const failed = await this.#publish({ unpublished: false }, stop, undefined);
    await removeGhosts(this.#parts);
    log.info({ failed }, "compared all programs and deals with the stream");
    return failed;
  }

  /** @returns the number of failures. Each is tried again independently, and does not hold up the others */
  async #publish(
    { unpublished }: { unpublished: boolean },
    stop: AbortSignal,
    span: Span | undefined,
  ): Promise<number> {
    const { store } = this.#parts;
    const programs = pagesOf(store, programTable, toProgramConfig, unpublished);
    const deals = pagesOf(store, dealTable, toDealConfig, unpublished);
    return (await this.#publishPages(stop, span, programs)) + (await this.#publishPages(stop, span, deals));
  }

  async #publishPages(
    stop: AbortSignal,
    span: Span | undefined,
    read: (after: string | undefined) => Promise<Revision[]>,
  ): Promise<number> {
    let failed = 0;
    for (let after: string | undefined; !stop.aborted; ) {
      const page = await read(after);
      const published = await Promise.all(page.map((revision) => this.#publishOne(revision, span)));
      failed += published.filter((isPublished) => !isPublished).length;
      if (page.length < PAGE) break;
      after = page.at(-1)?.id;
    }
    return failed;
  }

  async #publishOne({ message, mark, pass }: Revision, span: Span | undefined): Promise<boolean> {
    const { stream, assertAlone, metrics, log } = this.#parts;
    const { kind, id, revision } = message;
    try {
      const { held, isSame } = await publishNewerConfig(stream, message, span?.traceparent);
      const isStored = held < revision;
      if (!isStored && !isSame) {
        await assertAlone();
        const what = { kind, id, revision, held };
        if (await pass(held)) {
          log.warn(
            what,
            "this database was restored, and differs from the stream: publishing its record as a newer " +
              "revision",
          );
          return true;
        }
      }
      await mark();
      metrics.published(isStored ? "stored" : "known");
      if (isStored) log.info({ kind, id, revision }, "configuration published");
      return true;
    } catch (error) {
      metrics.published("failed");
      log.warn({ err: error, kind, id, revision }, "configuration was not published; trying again");
      return false;
    }
  }
}

/** Makes a function that reads one page of revisions. */
function pagesOf<Row extends VersionedRow>(
  store: Store,
  table: VersionedTable<Row, never>,
  toMessage: (row: Row & { readonly retroactiveSpans: readonly RetroactiveSpan[] }) => ConfigMessage,
  unpublished: boolean,
) {
  return async (after: string | undefined): Promise<Revision[]> => {
    const page = await table.revisions(store, { limit: PAGE, after, unpublished });
    return page.map((row) => ({
      id: row.id,
      message: toMessage(row),
      mark: () => table.markPublished(store, row),
      pass: (held) => table.passRevision(store, row, held),
    }));
  };
}

/** The number of programs and deals, including deleted ones, with a published revision. */
async function countPublished(sql: Sql): Promise<number> {
  const [{ count }] = await sql<[{ count: number }]>`
    select
      (select count(*) from platform.loyalty_programs where published_revision > 0)
      + (select count(*) from platform.deals where published_revision > 0) as count`;
  return count;
}
