import type { ComponentType } from "preact";
import type { Role } from "../console-routes.ts";

/** The variable parts of an address, decoded: `{id: "m_…"}` for `/member/:id`. */
export type Parameters = Readonly<Record<string, string>>;

export interface PageDefinition {
  /** Below the base, such as `/member/:id`. */
  readonly path: string;
  /** In the navigation; without it the page is reached from another one. */
  readonly navigation?: string;
  /** The least role that sees it. */
  readonly role: Role;
  /** Only if the console has a token of the platform. */
  readonly needsPlatform?: boolean;
  /** Only where users sign in by links. */
  readonly needsLinks?: boolean;
  readonly component: ComponentType<{ readonly parameters: Parameters }>;
}
