import type { ConsoleRole } from "#publisher-db";

/** Each may do what those before it may. Support reads one organisation; operators mend; administrators change programs. */
export const ROLES = ["support", "operator", "administrator"] as const satisfies readonly ConsoleRole[];
export type Role = ConsoleRole;

/** Whether somebody with the role `has` may do what is for `least` and above. */
export function mayActAs(has: Role, least: Role): boolean {
  return ROLES.indexOf(has) >= ROLES.indexOf(least);
}

/** Who asks, as a proxy or a link has vouched for it. */
export interface Identity {
  readonly user: string;
  readonly role: Role;
  /** UUID of the one organisation that support reads; undefined for the other roles, which see all there are tokens of. */
  readonly organisationId: string | undefined;
}
