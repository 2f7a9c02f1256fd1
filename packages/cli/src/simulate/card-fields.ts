import type { TransactionEvent } from "#contract";
import { CommandError } from "../command-error.ts";

/** What `--set` may say of a purchase. */
export type CardFields = Partial<
  Pick<
    TransactionEvent,
    | "amount"
    | "currency"
    | "merchant_id"
    | "statement_descriptor"
    | "network"
    | "bin"
    | "auth_code"
    | "authed_at"
  >
>;

const NAMES = [
  "amount",
  "currency",
  "merchant_id",
  "statement_descriptor",
  "network",
  "bin",
  "auth_code",
  "authed_at",
] as const satisfies ReadonlyArray<keyof CardFields>;

/** Fields as `name=value`. What the values may be is the API's to say: it refuses what is wrong, with the reason. */
export function readFields(assignments: readonly string[]): CardFields {
  const fields = assignments.map((assignment) => {
    const at = assignment.indexOf("=");
    const name = NAMES.find((one) => one === assignment.slice(0, at));
    const value = assignment.slice(at + 1);
    if (at < 1 || name === undefined) {
      throw new CommandError(`--set ${assignment}: give field=value; there are ${NAMES.join(", ")}`);
    }
    if (name !== "amount") return [name, value] as const;
    if (/^\d{1,15}$/.test(value)) return [name, Number(value)] as const;
    throw new CommandError(`--set ${assignment}: an amount is a whole number of minor units, 1250 for 12.50`);
  });
  return Object.fromEntries(fields);
}
