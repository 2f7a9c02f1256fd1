import { isDeepStrictEqual } from "node:util";
import type { World } from "../world.ts";
import { type ReadRoute, recordsOf } from "./read-plan.ts";
import { memberAnswer, type StoredSpec, transactionAnswer } from "./stored.ts";

/** undefined: the body says what is stored about that record. Otherwise what is wrong with it. */
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
