import type { Rejection } from "./map-row.ts";

/** The results of rows that were taken. */
export const TAKEN = ["created", "updated", "unchanged", "applied", "valid"] as const;

/**
 * The final result of a row.
 *
 * - `created`, `updated`, `unchanged`: the service's result of its event.
 * - `applied`: one of these; the service answered before it knew which.
 * - `valid`: in a dry run.
 * - `rejected`: it changed nothing.
 *
 * `ignored` names fields of a row that differ from the stored values, and were not taken.
 */
export type RowResult =
  | { readonly outcome: (typeof TAKEN)[number]; readonly ignored?: readonly string[] }
  | { readonly outcome: "rejected"; readonly rejection: RowRejection };

/** With the service's data: the states of a refused transition, or the field of an identity that differs. */
export interface RowRejection extends Rejection {
  readonly from?: string;
  readonly to?: string;
  readonly field?: string;
}

/** A row, and its place in the inputs. */
export interface RowAt {
  /** Which of the inputs, from 0. */
  readonly input: number;
  /** Which row of it, from 1. */
  readonly ordinal: number;
  /** Where it begins in the file. */
  readonly line: number;
  /** In its format, for the file of rejected rows. */
  readonly row: unknown;
}
