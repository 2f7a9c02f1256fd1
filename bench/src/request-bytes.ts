import { describeTransaction, eventText } from "./event-text.ts";
import { type LanePlan, planLane, type WorkloadSpec } from "./workload.ts";
import type { World } from "./world.ts";

/** A whole HTTP request, ready to be written to a socket. */
export interface RequestBytes {
  readonly bytes: Buffer;
  /** Where the body begins. */
  readonly bodyAt: number;
}

export interface Target {
  readonly url: string;
  readonly world: World;
  /** `prefer: respond-async`: the answer comes when the events are queued. */
  readonly async: boolean;
}

export const INGEST_PATH = "/publisher.v1/transaction/ingest";

/** All requests of a lane, made before the clock starts: at run time the generator only writes to sockets. */
export function renderLane(spec: WorkloadSpec, lane: number, target: Target): RequestBytes[] {
  const plan = planLane(spec, lane);
  const { host } = new URL(target.url);
  const head = `POST ${INGEST_PATH} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${target.world.token}\r\n\
content-type: application/json\r\n${target.async ? "prefer: respond-async\r\n" : ""}content-length: `;
  const requests: RequestBytes[] = [];
  for (let request = 0; request < spec.requestsPerLane; request++) {
    requests.push(renderRequest(head, requestBody(spec, plan, request, target.world)));
  }
  return requests;
}

function renderRequest(head: string, body: string): RequestBytes {
  // The workload is ASCII: a character is a byte.
  const start = `${head}${body.length}\r\n\r\n`;
  const bytes = Buffer.allocUnsafe(start.length + body.length);
  bytes.write(start, 0, "latin1");
  bytes.write(body, start.length, "latin1");
  return { bytes, bodyAt: start.length };
}

/** `{"events": […]}` of one request. */
export function requestBody(spec: WorkloadSpec, plan: LanePlan, request: number, world: World): string {
  const events: string[] = [];
  for (let at = request * spec.size; at < (request + 1) * spec.size; at++) {
    const number = plan.transactions[at] as number;
    const transaction = describeTransaction(spec.seed, spec.run, number, world.memberIds.length);
    events.push(eventText(world, transaction, plan.states[at] as number));
  }
  return `{"events":[${events.join(",")}]}`;
}
