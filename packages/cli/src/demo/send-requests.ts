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

/**
 * Sends all lanes side by side, each one request after the other: the next leaves when the one before is answered, so
 * events of one `external_id` cannot overtake each other.
 * @throws StampedeError of the first request that failed for good; the other lanes stop
 */
export async function sendRequests(
  client: StampedeClient,
  lanes: readonly Lane[],
  progress: Progress,
): Promise<Sent> {
  const tally = new Tally();
  const waitedMs: number[] = [];
  const asyncMs: number[] = [];
  let retries = 0;
  const stop = new AbortController();
  const startedAt = performance.now();
  const sendLane = async (lane: Lane) => {
    for (const request of lane) {
      const sentAt = performance.now();
      const { ending, attempts, isRepeated } = await send(client, request, stop.signal);
      const isAsync = request.kind === "ingest" && request.respondAsync;
      (isAsync ? asyncMs : waitedMs).push(performance.now() - sentAt);
      retries += attempts - 1;
      tally.add(request, ending, isRepeated);
      progress.advance(request.events.length);
    }
  };
  await Promise.allSettled(
    lanes.map((lane) =>
      sendLane(lane).catch((error) => {
        stop.abort(error);
        throw error;
      }),
    ),
  );
  if (stop.signal.aborted) throw stop.signal.reason;
  return {
    tally,
    requests: lanes.reduce((sum, lane) => sum + lane.length, 0),
    seconds: (performance.now() - startedAt) / 1000,
    waitedMs: waitedMs.sort((a, b) => a - b),
    asyncMs: asyncMs.sort((a, b) => a - b),
    retries,
  };
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
