import { type StampedeClient, StampedeError } from "#client";
import type { DemoRequest, Lane } from "./plan-requests.ts";
import type { Progress } from "./progress.ts";
import { type Ending, Tally } from "./tally.ts";

export interface Sent {
  readonly tally: Tally;
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds from sending to the answer, retries included, ascending: of requests that waited for the outcome … */
  readonly waitedMs: readonly number[];
  /** … and of those that asked for none. */
  readonly asyncMs: readonly number[];
  /** Attempts that failed and were followed by another. */
  readonly retries: number;
}

/** Sends requests, in one go or several, and adds up the answers. */
export class Sender {
  readonly #client: StampedeClient;
  readonly #progress: Progress;
  readonly #tally = new Tally();
  readonly #waitedMs: number[] = [];
  readonly #asyncMs: number[] = [];
  #requests = 0;
  #seconds = 0;
  #retries = 0;

  constructor(client: StampedeClient, progress: Progress) {
    this.#client = client;
    this.#progress = progress;
  }

  get sent(): Sent {
    return {
      tally: this.#tally,
      requests: this.#requests,
      seconds: this.#seconds,
      waitedMs: this.#waitedMs.toSorted((a, b) => a - b),
      asyncMs: this.#asyncMs.toSorted((a, b) => a - b),
      retries: this.#retries,
    };
  }

  /**
   * Sends all lanes side by side, each one request after the other: the next leaves when the one before is answered, so
   * events of one `external_id` cannot overtake each other.
   * @throws StampedeError of the first request that failed for good; the other lanes stop
   */
  async send(lanes: readonly Lane[]): Promise<void> {
    const stop = new AbortController();
    const startedAt = performance.now();
    await Promise.allSettled(
      lanes.map((lane) =>
        this.#sendLane(lane, stop.signal).catch((error) => {
          stop.abort(error);
          throw error;
        }),
      ),
    );
    if (stop.signal.aborted) throw stop.signal.reason;
    this.#seconds += (performance.now() - startedAt) / 1000;
  }

  async #sendLane(lane: Lane, signal: AbortSignal): Promise<void> {
    for (const request of lane) {
      const sentAt = performance.now();
      const { ending, attempts, isRepeated } = await send(this.#client, request, signal);
      const isAsync = request.kind === "ingest" && request.respondAsync;
      (isAsync ? this.#asyncMs : this.#waitedMs).push(performance.now() - sentAt);
      this.#requests++;
      this.#retries += attempts - 1;
      this.#tally.add(request, ending, isRepeated);
      this.#progress.advance(request.events.length);
    }
  }
}

async function send(
  client: StampedeClient,
  request: DemoRequest,
  signal: AbortSignal,
): Promise<{ ending: Ending; attempts: number; isRepeated: boolean }> {
  let attempts = 1;
  let isRepeated = false;
  const respondAsync = request.kind === "ingest" && request.respondAsync;
  try {
    const result = await client.ingest(request.events, {
      respondAsync,
      signal,
      onRetry: ({ error }) => {
        attempts++;
        // A 503 says that nothing was accepted; a lost connection does not say what it took with it.
        if (error.status !== 503) isRepeated = true;
      },
    });
    return { ending: { kind: "result", result }, attempts, isRepeated };
  } catch (error) {
    if (!(error instanceof StampedeError) || error.code !== "bad_request") throw error;
    const [issue] = (error.data.issues ?? []) as { path: string }[];
    return { ending: { kind: "bad_request", path: issue?.path ?? "" }, attempts, isRepeated };
  }
}
