import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Role, Session } from "../console-routes.ts";

const ROLES: readonly Role[] = ["support", "operator", "administrator"];

/** Whether somebody with the role `has` may do what is for `least` and above. The server decides; this only hides what it would refuse. */
export function mayActAs(has: Role, least: Role): boolean {
  return ROLES.indexOf(has) >= ROLES.indexOf(least);
}

export const SessionContext = createContext<Session | undefined>(undefined);

/** Who one is. Only below the frame, which asks first. */
export function useSession(): Session {
  return useContext(SessionContext) as Session;
}
