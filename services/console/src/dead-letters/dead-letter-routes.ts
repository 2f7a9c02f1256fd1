/** Requests and answers about dead letters (`POST api/dead-letters/…`). The page compiles against these types, without Node. */

/** Letters that came from one stream for one reason. */
export interface LetterGroupName {
  readonly stream: string;
  readonly reason: string;
}

export interface LetterGroup extends LetterGroupName {
  readonly count: number;
  readonly oldest: string;
  readonly newest: string;
  /** How many have each SQLSTATE. */
  readonly errors: Readonly<Record<string, number>>;
}

export interface LetterGroups {
  readonly groups: readonly LetterGroup[];
  /** The last letter that is counted. */
  readonly through: number;
  /** There are more than were counted. */
  readonly more: boolean;
  /** Whether this console has the operator's connection, which puts letters back and discards them. */
  readonly can_change: boolean;
}

export interface LetterLine {
  readonly sequence: number;
  /** When it died: ISO 8601, as all times here. */
  readonly at: string;
  readonly reason: string;
  /** SQLSTATE. */
  readonly error?: string;
  readonly stream: string;
  readonly external_id?: string;
  readonly can_be_redriven: boolean;
}

/** Oldest first. */
export interface LetterPage {
  readonly data: readonly LetterLine[];
  readonly page: { readonly cursor: string | null };
}

/** The letter as the API would show it, with one of `event`, `outcome`, `settlement` and `record`. */
export interface Letter {
  readonly sequence: number;
  readonly at: string;
  readonly reason: string;
  readonly error?: string;
  readonly from: { readonly stream: string; readonly partition: number; readonly sequence: number };
  readonly can_be_redriven: boolean;
  /** As of `LetterGroups`. */
  readonly can_change: boolean;
  readonly event?: { readonly external_id: string };
  readonly outcome?: unknown;
  readonly settlement?: unknown;
  readonly record?: unknown;
}

/**
 * Some letters by their sequences, or those of a group after `after` and up to `through`. A letter that is put back and dies
 * again comes after `through`, so that asking for the rest of a group ends.
 */
export type LetterChoice =
  | { readonly sequences: readonly number[] }
  | (LetterGroupName & { readonly after?: number; readonly through: number });

export interface LetterChangeAnswer {
  readonly done: number;
  /** Letters that stay, because their messages were not kept. */
  readonly impossible: number;
  /** Why it stopped before the end, if it did; the other letters are kept. */
  readonly stopped?: string;
  /** To be given as `after` for the rest of the group; null when there is none. */
  readonly cursor: number | null;
}

export interface DeadLetterRoutes {
  "dead-letters/groups": { readonly request: Record<string, never>; readonly answer: LetterGroups };
  "dead-letters/list": {
    readonly request: LetterGroupName & { readonly pagination?: { readonly cursor?: string | null } };
    readonly answer: LetterPage;
  };
  "dead-letters/show": { readonly request: { readonly sequence: number }; readonly answer: Letter };
  "dead-letters/redrive": { readonly request: LetterChoice; readonly answer: LetterChangeAnswer };
  "dead-letters/discard": { readonly request: LetterChoice; readonly answer: LetterChangeAnswer };
}
