import { type StampedeClient, StampedeError } from "#client";
import type { Terminal } from "../terminal.ts";
import { inLanes } from "./in-lanes.ts";
import type { Outcomes } from "./model.ts";
import type { DemoRequest, Lane } from "./plan-requests.ts";
import { formatNumber } from "./report.ts";
import { type Ending, Tally } from "./tally.ts";

/** Sends requests, in one go or several, and adds up the answers. */
export class Sender {
  readonly tally: Tally;
  /** Milliseconds from sending to the answer, retries included: of requests that waited for the outcome … */
  readonly waitedMs: number[] = [];
  /** … and of those that asked for none. */
  readonly asyncMs: number[] = [];
  requests = 0;
  seconds = 0;
  /** Attempts that failed and were followed by another. */
  retries = 0;
  readonly #client: StampedeClient;
  readonly #progress: Progress;

  constructor(client: StampedeClient, outcomes: Outcomes, progress: Progress) {
    this.#client = client;
    this.tally = new Tally(outcomes);
    this.#progress = progress;
  }

  /**
   * Sends all lanes side by side, each one request after the other: the next leaves when the one before is answered, so
   * events of one `external_id` cannot overtake each other.
   * @throws StampedeError of the first request that failed for good; the other lanes stop
   */
  async send(lanes: readonly Lane[]): Promise<void> {
    const startedAt = performance.now();
    await inLanes(lanes, (request, signal) => this.#sendOne(request, signal));
    this.seconds += (performance.now() - startedAt) / 1000;
  }

  async #sendOne(request: DemoRequest, signal: AbortSignal): Promise<void> {
    const respondAsync = request.kind === "ingest" && request.respondAsync;
    let isRepeated = false;
    const onRetry = ({ error }: { error: StampedeError }) => {
      this.retries++;
      // A 503 says that nothing was accepted; a lost connection does not say what it took with it.
      if (error.status !== 503) isRepeated = true;
    };
    const sentAt = performance.now();
    const ending = await this.#client
      .ingest(request.events, { respondAsync, signal, onRetry })
      .then((result): Ending => ({ kind: "result", result }), endingOfRefusal);
    (respondAsync ? this.asyncMs : this.waitedMs).push(performance.now() - sentAt);
    this.requests++;
    this.tally.add(request, ending, isRepeated);
    this.#progress.advance(request.events.length);
  }
}

function endingOfRefusal(error: unknown): Ending {
  if (!(error instanceof StampedeError) || error.code !== "bad_request") throw error;
  const [issue] = (error.data.issues ?? []) as { path: string }[];
  return { kind: "bad_request", path: issue?.path ?? "" };
}

const BAR_WIDTH = 30;
const REDRAW_MS = 80;
const LINE_EVERY_PERCENT = 10;

/** How far the sending is: a line that is written over on a terminal, else a plain line every ten percent. */
export class Progress {
  readonly #terminal: Terminal;
  readonly #total: number;
  readonly #startedAt = performance.now();
  #done = 0;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #nextPercent = LINE_EVERY_PERCENT;

  constructor(terminal: Terminal, total: number) {
    this.#terminal = terminal;
    this.#total = total;
  }

  advance(events: number): void {
    this.#done += events;
    if (this.#terminal.width === undefined) this.#writeLine();
    else if (performance.now() - this.#drawnAt >= REDRAW_MS) this.#draw(this.#terminal.width);
  }

  /** Leaves the line clean for what comes next. */
  end(): void {
    if (this.#terminal.width !== undefined) this.#terminal.rewrite("");
  }

  #draw(width: number): void {
    this.#drawnAt = performance.now();
    const filled = Math.round((BAR_WIDTH * this.#done) / this.#total);
    const bar = "█".repeat(filled) + "░".repeat(BAR_WIDTH - filled);
    // One column is left free: a terminal that wraps at the last one could not be written over.
    this.#terminal.rewrite(`${bar} ${this.#words()}`.slice(0, width - 1));
  }

  #writeLine(): void {
    const percent = Math.floor((100 * this.#done) / this.#total);
    if (percent < this.#nextPercent) return;
    this.#nextPercent = percent - (percent % LINE_EVERY_PERCENT) + LINE_EVERY_PERCENT;
    this.#terminal.err(this.#words());
  }

  #words(): string {
    const percent = `${Math.floor((100 * this.#done) / this.#total)} %`.padStart(5);
    const seconds = (performance.now() - this.#startedAt) / 1000;
    const rate = formatNumber(Math.round(this.#done / Math.max(seconds, 0.001)));
    return `${percent}  ${formatNumber(this.#done)} of ${formatNumber(this.#total)} events, ${rate}/s`;
  }
}
