import type {
  Answer,
  PlatformAnswer,
  PlatformRequestOf,
  PlatformRouteName,
  RequestOf,
  RouteName,
} from "#client/types";
import type { AuditEntry } from "../src/audit-entry.ts";
import type { DeadLetterRoutes } from "../src/dead-letters/dead-letter-routes.ts";
import type { LiveAnswer } from "../src/live/live-answer.ts";

export type Role = "support" | "operator" | "administrator";

export interface Organisation {
  readonly id: string;
  readonly name: string;
}

/** The user, and what the user may see. */
export interface Session {
  readonly user: string;
  readonly role: Role;
  readonly organisations: readonly Organisation[];
  /** Whether users sign in by links, and can sign out. */
  readonly by_link: boolean;
  /** Whether the console has a token of the platform. */
  readonly platform: boolean;
}

/** An open session, or a link that was not used yet. */
export interface Entrance {
  readonly id: string;
  readonly kind: "session" | "link";
  readonly user: string;
  readonly role: Role;
  readonly organisation: string | null;
  readonly expires_at: string;
}

interface Route<Request, Answered> {
  readonly request: Request;
  readonly answer: Answered;
}

/** The console's own routes. A folder with routes of its own adds them here. */
interface OwnRoutes extends DeadLetterRoutes {
  session: Route<Record<string, never>, Session>;
  "session/open": Route<{ link: string }, object>;
  "session/close": Route<Record<string, never>, object>;
  /** Where users sign in by links. */
  "sessions/list": Route<Record<string, never>, { entrances: readonly Entrance[] }>;
  "sessions/end": Route<
    { id: string } | { user: string } | { all: true },
    { sessions: number; links: number }
  >;
  live: Route<{ since?: number }, LiveAnswer>;
  /** The answer of the platform's `purchase/explain` about a purchase of this organisation. */
  explain: Route<{ external_id: string }, PlatformAnswer<"purchase/explain">>;
  audit: Route<
    { pagination?: { cursor?: string | null } },
    { data: readonly AuditEntry[]; page: { cursor: string | null } }
  >;
}

type PublisherRoutes = {
  [R in RouteName as `publisher.v1/${R}`]: Route<RequestOf<R>, Answer<R>>;
};
type PlatformRoutes = {
  [R in PlatformRouteName as `platform.v1/${R}`]: Route<PlatformRequestOf<R>, PlatformAnswer<R>>;
};

/** All routes that the page can ask, below `api/`. Some need a higher role. */
type ConsoleRoutes = OwnRoutes & PublisherRoutes & PlatformRoutes;
export type ConsoleRoute = keyof ConsoleRoutes;
export type RequestTo<R extends ConsoleRoute> = ConsoleRoutes[R]["request"];
export type AnswerFrom<R extends ConsoleRoute> = ConsoleRoutes[R]["answer"];
