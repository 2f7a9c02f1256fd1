import { readFileSync } from "node:fs";
import type { TransactionEvent } from "#contract";

/** A transaction event whose member is named by `ref`: ids differ from installation to installation. */
export type SampleEvent = Omit<TransactionEvent, "member_id"> & { readonly ref: string };

/** Events for one request that must be refused as a whole because one of them is malformed. */
export interface MalformedRequest {
  /** What is wrong, in words. */
  readonly malformed: string;
  /** JSON pointer into the request body that the answer must name. */
  readonly path: string;
  readonly events: readonly (Partial<SampleEvent> & { readonly external_id: string })[];
}

export type SampleEntry = SampleEvent | MalformedRequest;

export interface Sample {
  /** The members that exist. An event may name another ref: that member does not. */
  readonly refs: readonly string[];
  /** In the order in which they happen. */
  readonly entries: readonly SampleEntry[];
}

export function isMalformed(entry: SampleEntry): entry is MalformedRequest {
  return "malformed" in entry;
}

/** Events in the sample, those of malformed requests included. */
export function countEvents(entries: readonly SampleEntry[]): number {
  return entries.reduce((sum, entry) => sum + (isMalformed(entry) ? entry.events.length : 1), 0);
}

/** The compiler copies only sources into dist/, so this leads from dist/packages/cli/src/demo back. */
export const SAMPLE_FILE = new URL("../../../../../packages/cli/sample/transactions.jsonl", import.meta.url);

/** The columns of an event's line; what is absent is null, and nulls at the end are left out. */
const COLUMNS = [
  "external_id",
  "ref",
  "auth_code",
  "network",
  "bin",
  "merchant_id",
  "authed_at",
  "amount",
  "currency",
  "statement_descriptor",
  "cleared_at",
  "reverted_at",
] as const satisfies readonly (keyof SampleEvent)[];

interface Header {
  readonly about: string;
  readonly columns: readonly string[];
  readonly members: number;
}

const ABOUT =
  "Made by packages/cli/src/demo/write-sample.ts. One line an event, as an array in the order of `columns`; " +
  "an object is a request of its own that must be refused.";

/** The sample as it is committed: a header line, then a line an entry. */
export function writeSample(sample: Sample): string {
  const header: Header = { about: ABOUT, columns: COLUMNS, members: sample.refs.length };
  return [header, ...sample.entries.map((entry) => (isMalformed(entry) ? entry : toColumns(entry)))]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
}

export function parseSample(text: string): Sample {
  const [first, ...lines] = text.trimEnd().split("\n");
  const header = JSON.parse(first ?? "") as Header;
  return {
    refs: sampleRefs(header.members),
    entries: lines.map((line) => {
      const value = JSON.parse(line) as MalformedRequest | unknown[];
      return Array.isArray(value) ? fromColumns(value) : value;
    }),
  };
}

export function readSample(): Sample {
  return parseSample(readFileSync(SAMPLE_FILE, "utf8"));
}

/** `m0001` and so on. */
export function sampleRefs(members: number): string[] {
  return Array.from({ length: members }, (_, i) => `m${String(i + 1).padStart(4, "0")}`);
}

function toColumns(event: SampleEvent): unknown[] {
  const values = COLUMNS.map((column) => event[column] ?? null);
  const last = values.findLastIndex((value) => value !== null);
  return values.slice(0, last + 1);
}

function fromColumns(values: readonly unknown[]): SampleEvent {
  const present = COLUMNS.flatMap((column, i) => (values[i] == null ? [] : [[column, values[i]]]));
  return Object.fromEntries(present) as SampleEvent;
}
