import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Role, Session } from "../console-routes.ts";

const ROLES: readonly Role[] = ["support", "operator", "administrator"];

/** Whether the role `has` is `least` or above. The server decides; the page only hides what it would refuse. */
export function mayActAs(has: Role, least: Role): boolean {
  return ROLES.indexOf(has) >= ROLES.indexOf(least);
}

export const SessionContext = createContext<Session | undefined>(undefined);

/** The session. Only below `Console`, which asks for it first. */
export function useSession(): Session {
  return useContext(SessionContext) as Session;
}
