import type { StoredDeadLetter } from "./stored-dead-letters.ts";

/** Selects the dead letters that match every given condition. */
export interface LetterFilter {
  readonly reason?: string;
  /** Their stream, such as `INGEST`. */
  readonly stream?: string;
  /** SQLSTATE, or its beginning: `23` is every broken constraint. */
  readonly error?: string;
  readonly externalId?: string;
  /** Buried at or after this time. */
  readonly since?: Date;
  /** Buried before this time. */
  readonly until?: Date;
}

export function matches({ at, letter }: StoredDeadLetter, filter: LetterFilter): boolean {
  const { reason, stream, error, externalId, since, until } = filter;
  if (reason !== undefined && letter.reason !== reason) return false;
  if (stream !== undefined && letter.hop !== stream) return false;
  if (error !== undefined && !(letter.error ?? "").startsWith(error)) return false;
  if (externalId !== undefined && letter.row?.externalId !== externalId) return false;
  return (since === undefined || at >= since) && (until === undefined || at < until);
}
