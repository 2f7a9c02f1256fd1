import { ApiError } from "#contract";
import type { Body, ConsoleCall } from "./endpoint.ts";
import type { Answered, Apis, Asked } from "./forward.ts";

/** A payment as the platform tells of it, as far as it says whose it is. */
interface ToldPayment {
  readonly transaction_id?: string;
  readonly released_from?: string;
}

/** Payments of a page: whose purchase each is, is a question of its own. */
const PAGE_MAX = 50;

/**
 * Asks the platform for payments, and leaves out what belongs to a purchase of another organisation. The platform knows no
 * organisations: the publisher says whether a transaction is one of the caller's. What is open and was never paired is nobody's yet.
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
    throw new ApiError("not_found", "no such payment", { resource: "payment" });
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

/** Which of the transactions are the organisation's. */
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
    throw new ApiError("unavailable", `whose a payment is could not be read (${unclear[1].status})`, data);
  }
  return new Set(answers.filter(([, { status }]) => status === 200).map(([id]) => id));
}
