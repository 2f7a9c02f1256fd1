import type { HttpResponse } from "#http";
import type { FieldChange } from "./changed-fields.ts";
import type { Organisation } from "./organisation-tokens.ts";
import type { Identity, Role } from "./roles.ts";

/**
 * - read: is not written down. - look-up: reads about a member, and is a line of the audit. - change: is a line of the
 * audit too, and needs a reason.
 */
export type Kind = "read" | "look-up" | "change";

/** A JSON object. */
export type Body = Readonly<Record<string, unknown>>;

/** A request of somebody who may make it. */
export interface ConsoleCall {
  readonly body: Body;
  readonly identity: Identity;
  /**
   * The organisation that the caller has chosen, or the only one.
   * @throws ApiError `bad_request` `organisation_required` if there are several and none is chosen
   */
  organisation(): Organisation;
  /** Given with every change. */
  readonly reason: string | undefined;
  /** Handed on to the API that is called, so that its log and ours tell of one request. */
  readonly traceId: string;
  readonly idempotencyKey: string | undefined;
  /** Replaces what the audit's line says that the request was about, once that is known; not of one that `isNamed`. */
  about(subject: string): void;
}

/** One operation of the console's own API. */
export interface ConsoleEndpoint {
  /** Below `api/`, such as `dead-letters/list`. */
  readonly route: string;
  /** The least role that may use it. */
  readonly role: Role;
  readonly kind: Kind;
  /** What the request is about, in ids, for the audit; undefined where the body does not say. */
  subject?(body: Body): string | undefined;
  /**
   * Of a look-up: whether `subject` is all that it is about, so that it may be told in the line of an earlier look-up of the
   * same. Not so where only the answer says whom it was about.
   */
  isNamed?(body: Body): boolean;
  /** Throws an `ApiError` to refuse the request for what its body says, before a line of it is written. */
  admit?(body: Body, identity: Identity): void;
  /** Of a change of a record: what it is going to change. What it throws is the end of the request. */
  changes?(call: ConsoleCall): Promise<readonly FieldChange[]>;
  /** Throws an `ApiError` to refuse. */
  run(call: ConsoleCall): Promise<HttpResponse>;
}
