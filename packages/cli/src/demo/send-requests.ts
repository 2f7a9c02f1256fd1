import { type StampedeClient, StampedeError } from "#client";
import type { Outcomes } from "./model.ts";
import type { DemoRequest, Lane } from "./plan-requests.ts";
import type { Progress } from "./progress.ts";
import { type Ending, Tally } from "./tally.ts";
import { inLanes } from "./until.ts";

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
