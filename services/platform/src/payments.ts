import { ApiError } from "#contract";
import { decodeId } from "#domain";
import { badRequest, jsonResponse } from "#http";
import type { Store } from "#postgres";
import type { PlatformCaller, PlatformEndpoint } from "./caller.ts";
import { definePlatformEndpoint } from "./define-endpoint.ts";
import type { Matching } from "./matching.ts";
import { getRetailer } from "./retailers/get-retailer.ts";
import { unknownRetailer } from "./retailers/retailers.ts";

export function paymentEndpoints(store: Store, matching: Matching): PlatformEndpoint[] {
  return [
    definePlatformEndpoint("payment/ingest", async ({ body, caller, traceparent }) => {
      const retailerId = await retailerOf(store, caller, body.retailer_id);
      await matching.takePayments(retailerId, body.payments, traceparent);
      return jsonResponse(200, { accepted: body.payments.length });
    }),
  ];
}

/** Whose payments they are: a retailer's token says it, the platform's needs to be told. */
async function retailerOf(store: Store, caller: PlatformCaller, given: string | undefined): Promise<string> {
  const id = given === undefined ? undefined : decodeId("ret", given);
  if (caller.kind === "retailer") {
    if (given === undefined || id === caller.retailerId) return caller.retailerId;
    throw new ApiError("authorization_error", "only the platform's token may bring another's payments", {
      required: "platform",
    });
  }
  if (given === undefined) {
    const message = "is needed with the platform's token";
    throw badRequest(`/retailer_id ${message}`, { path: "/retailer_id", message });
  }
  if (id === undefined || (await getRetailer(store, id)) === undefined) throw unknownRetailer();
  return id;
}
