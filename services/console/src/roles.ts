import type { ConsoleRole } from "#publisher-db";

/** Each role may do what those before it may. Support reads one organisation; operators repair; administrators change programs. */
export const ROLES = ["support", "operator", "administrator"] as const satisfies readonly ConsoleRole[];
export type Role = ConsoleRole;

/** Whether the role `has` is `least` or above. */
export function mayActAs(has: Role, least: Role): boolean {
  return ROLES.indexOf(has) >= ROLES.indexOf(least);
}

/** The caller, by a proxy or a link. */
export interface Identity {
  readonly user: string;
  readonly role: Role;
  /** UUID of the organisation that support reads; undefined for the other roles, which see all that have tokens. */
  readonly organisationId: string | undefined;
}
