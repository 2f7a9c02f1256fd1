import type { Rejection } from "./map-row.ts";

/** What became of a row that was taken. */
export const TAKEN = ["created", "updated", "unchanged", "applied", "valid"] as const;

/**
 * What became of a row, for good.
 *
 * - `created`, `updated`, `unchanged`: as the service says of its event.
 * - `applied`: it took effect; the service did not say which of these it was, because it answered before it knew.
 * - `valid`: of a dry run.
 * - `rejected`: it changed nothing.
 *
 * `ignored` names the fields of a row that was taken that differ from what is stored, and were not taken.
 */
export type Fate =
  | { readonly outcome: (typeof TAKEN)[number]; readonly ignored?: readonly string[] }
  | { readonly outcome: "rejected"; readonly rejection: RowRejection };

/** Also what the service tells with some refusals: of a transition from where to where, of an identity which field. */
export interface RowRejection extends Rejection {
  readonly from?: string;
  readonly to?: string;
  readonly field?: string;
}

/** A row on its way, and where it came from. */
export interface RowAt {
  /** Which of the inputs, from 0. */
  readonly input: number;
  /** Which row of it, from 1. */
  readonly ordinal: number;
  /** Where it begins in the file. */
  readonly line: number;
  /** As its format has it, for the file of rejected rows. */
  readonly row: unknown;
}
