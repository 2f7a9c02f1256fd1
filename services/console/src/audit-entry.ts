/** A line of the audit, as `POST api/audit` answers it. The page compiles against this type, without Node. */
export interface AuditEntry {
  readonly id: number;
  readonly at: string;
  readonly user: string;
  readonly role: string;
  readonly organisation: string | null;
  readonly action: string;
  readonly subject: string | null;
  readonly reason: string | null;
  /** `ok`, the code of an error, or null if the request was cut off. */
  readonly outcome: string | null;
  /** Further look-ups by the same user about the same subject, by action and outcome. */
  readonly joined: ReadonlyArray<Pick<AuditEntry, "action" | "outcome"> & { readonly requests: number }>;
  /** The fields that a change of a record set: `state: enabled → paused`. */
  readonly changes: readonly string[];
}
