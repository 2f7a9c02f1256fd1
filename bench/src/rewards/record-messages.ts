import type { PlatformRecord } from "#contract";
import { encodeId } from "#domain";
import { mix, seededUuid } from "../random.ts";
import { type PackedMessage, packEntries } from "./publish-packed.ts";
import { identifiersOf, merchantOf, programId, retailerOf, type StoredSpec } from "./stored-halves.ts";

/** One in so many is for a retailer. */
export const ROUTED_EVERY = 10;
/** One in so many of those finds its payment, which was there before. */
const PAID_EVERY = 2;
/** As ingest packs them. */
const RECORDS_PER_MESSAGE = 1000;

/** What must come of the records: those that are kept, and those of them that find a payment. */
export interface ExpectedRecords {
  readonly routed: number;
  readonly paired: number;
}

export function expectRecords(records: number): ExpectedRecords {
  const routed = Math.ceil(records / ROUTED_EVERY);
  return { routed, paired: Math.ceil(routed / PAID_EVERY) };
}

/** What ingest would publish of new transactions. Those for a retailer are of enrolled members, and half of the others. */
export function recordMessages(spec: StoredSpec, records: number): PackedMessage[] {
  const nowMs = Date.now();
  const { paired } = expectRecords(records);
  const entries = Array.from({ length: records }, (_, number) => {
    const record =
      number % ROUTED_EVERY === 0
        ? routedRecord(spec, number / ROUTED_EVERY, Math.floor(spec.perSide / paired))
        : otherRecord(spec, number);
    const authed_at = new Date(nowMs - records + number).toISOString().replace("Z", "000Z");
    const id = seededUuid(nowMs - records + number, spec.seed + 81, number);
    const entry: PlatformRecord = { transaction_id: encodeId("tx", id), authed_at, clips: [], ...record };
    return JSON.stringify(entry);
  });
  return packEntries("records", entries, RECORDS_PER_MESSAGE);
}

type Described = Pick<PlatformRecord, "identifiers" | "merchant_id" | "statement_descriptor" | "enrolments">;

/** @param stride how far apart the payments lie that are looked for: all over the table */
function routedRecord(spec: StoredSpec, number: number, stride: number): Described {
  const isPaid = number % PAID_EVERY === 0;
  const payment = (number / PAID_EVERY) * stride;
  const retailer = retailerOf(spec, isPaid ? payment : mix(spec.seed + 82, number));
  return {
    identifiers: identifiersOf(isPaid ? "payment" : "newcomer", isPaid ? payment : number),
    merchant_id: merchantOf(retailer),
    statement_descriptor: `SHOP ${retailer} BERLIN DE`,
    enrolments: [enrolment(spec, number, retailer)],
  };
}

function otherRecord(spec: StoredSpec, number: number): Described {
  const merchant = mix(spec.seed + 83, number) % 50_000;
  return {
    identifiers: identifiersOf("newcomer", number),
    merchant_id: `MID-${merchant}`,
    statement_descriptor: `STORE ${merchant} BERLIN DE`,
    enrolments: number % 2 === 0 ? [enrolment(spec, number, merchant)] : [],
  };
}

function enrolment(spec: StoredSpec, number: number, program: number): PlatformRecord["enrolments"][number] {
  return {
    stamp_collection_id: encodeId("sc", seededUuid(0, spec.seed + 84, number)),
    loyalty_program_id: encodeId("lp", programId(spec, program)),
  };
}
