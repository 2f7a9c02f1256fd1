import { badRequest, jsonResponse } from "#http";
import type { ConsoleEndpoint } from "../endpoint.ts";
import type { LiveSampler } from "./live-sampler.ts";

export const LIVE_ROUTE = "live";

/** `live` `{since?}`: the samples that are newer than that one (`LiveAnswer`). A page asks once a second. */
export function liveEndpoint(sampler: Pick<LiveSampler, "look">): ConsoleEndpoint {
  return {
    route: LIVE_ROUTE,
    role: "support",
    kind: "read",
    run: async ({ body }) => {
      const { since } = body;
      if (since !== undefined && !(typeof since === "number" && since >= 0)) {
        const message = "must be milliseconds since 1970";
        throw badRequest(`since ${message}`, { path: "/since", message });
      }
      return jsonResponse(200, sampler.look(since));
    },
  };
}
