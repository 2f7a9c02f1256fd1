import { isDeepStrictEqual } from "node:util";
import { encodeId, SeededRandom } from "#domain";
import { memberbaseIdOf, type World } from "../ingest/world.ts";
import { mix } from "../kit/random.ts";
import { type RequestBytes, requestMaker } from "../kit/requests.ts";
import {
  externalIdOf,
  memberAnswer,
  memberIdOf,
  refOf,
  type StoredSpec,
  transactionAnswer,
} from "./stored.ts";

export const READ_ROUTES = ["member/get", "transaction/get"] as const;
export type ReadRoute = (typeof READ_ROUTES)[number];

/** Share of the requests for missing records, which get a 404. */
const MISSES = 0.02;

/** The records to request, one after the other. A number past the last record is a miss. */
export function planReads(spec: StoredSpec, route: ReadRoute, requests: number): Uint32Array {
  const stored = recordsOf(spec, route);
  const random = new SeededRandom(mix(spec.seed + 51, READ_ROUTES.indexOf(route)));
  return Uint32Array.from({ length: requests }, () => {
    const isMiss = random.chance(MISSES);
    const draw = random.between(0, stored - 1);
    return isMiss ? stored + draw : draw;
  });
}

export function recordsOf(spec: StoredSpec, route: ReadRoute): number {
  return route === "member/get" ? spec.members : spec.transactions;
}

/** Members are requested by id and by ref in turn, the two forms of the request. */
export function readBody(
  spec: StoredSpec,
  world: World,
  route: ReadRoute,
  request: number,
  record: number,
): string {
  if (route === "transaction/get") return `{"external_id":"${externalIdOf(spec, record)}"}`;
  if (request % 2 === 0) return `{"id":"${encodeId("m", memberIdOf(spec, world, record))}"}`;
  return `{"member_base_id":"${encodeId("mb", memberbaseIdOf(spec.seed))}","ref":"${refOf(record)}"}`;
}

export function renderReads(
  target: {
    readonly url: string;
    readonly spec: StoredSpec;
    readonly world: World;
    readonly route: ReadRoute;
  },
  plan: Uint32Array,
): RequestBytes[] {
  const { url, spec, world, route } = target;
  const make = requestMaker({ url, path: `/publisher.v1/${route}`, token: world.token });
  return Array.from(plan, (record, request) => make(readBody(spec, world, route, request, record)));
}

/** undefined: the body equals the stored record. Otherwise the fault. */
export function compareAnswer(
  spec: StoredSpec,
  world: World,
  route: ReadRoute,
  record: number,
  body: string,
): string | undefined {
  const isHit = record < recordsOf(spec, route);
  const answer = parse(body);
  if (isHit) {
    const stored = (route === "member/get" ? memberAnswer : transactionAnswer)(spec, world, record);
    return isDeepStrictEqual(answer, stored) ? undefined : `record ${record}: ${body.slice(0, 400)}`;
  }
  const { error } = (answer ?? {}) as { error?: { code?: string; data?: { resource?: string } } };
  const resource = route === "member/get" ? "member" : "transaction";
  const isTold = error?.code === "not_found" && error.data?.resource === resource;
  return isTold ? undefined : `record ${record}, which is not there: ${body.slice(0, 400)}`;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
