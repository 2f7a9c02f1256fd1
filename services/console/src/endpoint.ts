import type { HttpResponse } from "#http";
import type { FieldChange } from "./changed-fields.ts";
import type { Organisation } from "./organisation-tokens.ts";
import type { Identity, Role } from "./roles.ts";

/** - read: not in the audit. - look-up: reads about a member, and is in the audit. - change: in the audit, with a reason. */
export type Kind = "read" | "look-up" | "change";

/** A JSON object. */
export type Body = Readonly<Record<string, unknown>>;

/** A request that its caller may make. */
export interface ConsoleCall {
  readonly body: Body;
  readonly identity: Identity;
  /**
   * The organisation that the caller has chosen, or the only one.
   * @throws ApiError `bad_request` `organisation_required` if there are several and none is chosen
   */
  organisation(): Organisation;
  /** Every change has one. */
  readonly reason: string | undefined;
  /** The `updated_at` of the record that the user saw; undefined: the request does not depend on it. */
  readonly shown: string | undefined;
  /** Passed on to the API, so that both logs have it. */
  readonly traceId: string;
  readonly idempotencyKey: string | undefined;
  /** Replaces the subject in the audit's line; not for a request that `isNamed`. */
  about(subject: string): void;
}

/** One operation of the console's own API. */
export interface ConsoleEndpoint {
  /** Below `api/`, such as `dead-letters/list`. */
  readonly route: string;
  /** The least role that may use it. */
  readonly role: Role;
  readonly kind: Kind;
  /** The subject of the request, in ids, for the audit; undefined if the body has none. */
  subject?(body: Body): string | undefined;
  /**
   * Of a look-up: whether `subject` is its whole subject, so that it may join the line of an earlier look-up. It is not if only
   * the answer names the member.
   */
  isNamed?(body: Body): boolean;
  /** Throws an `ApiError` to refuse the request by its body, before its line is written. */
  admit?(body: Body, identity: Identity): void;
  /** Of a change of a record: the fields that it will change. An error ends the request. */
  changes?(call: ConsoleCall): Promise<readonly FieldChange[]>;
  /** Throws an `ApiError` to refuse. */
  run(call: ConsoleCall): Promise<HttpResponse>;
}
