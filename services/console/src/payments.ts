import { ApiError } from "#contract";
import { notFound } from "#http";
import type { Body, ConsoleCall } from "./endpoint.ts";
import type { Answered, Apis, Asked } from "./forward.ts";

/** The fields of a payment that name its purchase. */
interface ToldPayment {
  readonly transaction_id?: string;
  readonly released_from?: string;
}

/** Payments of a page: each needs a question about its purchase. */
const PAGE_MAX = 50;

/**
 * Asks the platform for payments, and leaves out those of other organisations' purchases. The platform knows no organisations;
 * the publisher says whether a transaction is one of the caller's. Payments that were never paired belong to none yet.
 */
export function ownPayments(apis: Apis): Asked {
  return async (call, route, body) => {
    const isList = route === "payment/list";
    const answered = await apis.platform(call, route, isList ? withShortPage(body) : body);
    if (answered.status !== 200) return answered;
    const { data } = answered.body as { data?: readonly ToldPayment[] };
    const payments = data ?? [answered.body as ToldPayment];
    const own = await ownTransactions(apis, call, payments);
    const isShown = (payment: ToldPayment) => ownersOf(payment).every((id) => own.has(id));
    if (data !== undefined) {
      return { ...answered, body: { ...(answered.body as Body), data: data.filter(isShown) } };
    }
    if (payments.every(isShown)) return answered;
    throw notFound("payment");
  };
}

function withShortPage(body: Body): Body {
  const { pagination } = body as { pagination?: object & { limit?: unknown } };
  const limit = pagination?.limit;
  const isShort = typeof limit === "number" && limit <= PAGE_MAX;
  return isShort ? body : { ...body, pagination: { ...pagination, limit: PAGE_MAX } };
}

function ownersOf({ transaction_id, released_from }: ToldPayment): string[] {
  return [transaction_id, released_from].filter((id) => id !== undefined);
}

/** The transactions that belong to the organisation. */
async function ownTransactions(
  apis: Apis,
  call: ConsoleCall,
  payments: readonly ToldPayment[],
): Promise<Set<string>> {
  const ids = [...new Set(payments.flatMap(ownersOf))];
  const answers = await Promise.all(
    ids.map(async (id): Promise<readonly [string, Answered]> => {
      return [id, await apis.publisher(call, "id/resolve", { id }, "read")];
    }),
  );
  const unclear = answers.find(([, { status }]) => status !== 200 && status !== 404);
  if (unclear !== undefined) {
    const data = { reason: "api_away" };
    throw new ApiError(
      "unavailable",
      `the purchase of a payment could not be read (${unclear[1].status})`,
      data,
    );
  }
  return new Set(answers.filter(([, { status }]) => status === 200).map(([id]) => id));
}
