import { ApiError, EVENT_TYPES, eventTypesOf, LIMITS, type RequestOf } from "#contract";
import { toUtcMicroseconds } from "#domain";
import { badRequest, type CursorKey, type HttpResponse } from "#http";
import type { SharedStore } from "#postgres";
import { defineEndpoint, type PublisherEndpoint } from "../endpoint.ts";
import { type EventQuery, type EventsRead, readEvents } from "./event-rows.ts";

type Request = RequestOf<"event/list">;
const EVERY_TYPE = [...EVENT_TYPES, "webhook.test"] as const;

/** The endpoint for callers that poll events and need no webhook. */
export function eventEndpoints(store: SharedStore, cursors: CursorKey): PublisherEndpoint[] {
  return [
    defineEndpoint("event/list", async ({ body, caller: { organisationId } }) => {
      const seal = new NumberCursor(cursors, scopeOf(body), organisationId);
      const read = await readEvents(store.lineOf(organisationId), {
        organisationId,
        ...(typeof body.after === "string" ? seal.open(body.after) : { after: undefined }),
        types: eventTypesOf(body.types ?? ["*"], EVERY_TYPE),
        transactionRef: body.transaction_ref,
        // A leap second is a valid timestamp, but `Date` cannot read one.
        since: body.since === undefined ? undefined : new Date(toUtcMicroseconds(body.since)),
        limit: body.limit ?? LIMITS.pageLimitDefault,
      });
      if ("misfit" in read) throw expired(seal.seal(read.oldest, read));
      return answerEvents(read, seal.seal(read.upto, read));
    }),
  ];
}

/** What a cursor is bound to. Not to `since`, which only skips older events, wherever the cursor is. */
function scopeOf({ types, transaction_ref }: Request): string {
  return `event/list ${types?.toSorted().join(" ") ?? ""} ${transaction_ref ?? ""}`;
}

/** Copies the stored texts of the events into the answer: byte for byte what webhooks receive. */
function answerEvents({ bodies, more }: EventsRead, cursor: string): HttpResponse {
  const page = { page_size: bodies.length, cursor, more };
  return { status: 200, body: `{"data":[${bodies.join(",")}],"page":${JSON.stringify(page)}}` };
}

function expired(oldestCursor: string): ApiError {
  const days = LIMITS.eventKeptMs / 86_400_000;
  const message = `is older than the ${days} days for which events are kept: some may be missed`;
  return new ApiError(
    "bad_request",
    `/after ${message}; data.oldest_cursor is where the oldest kept one begins`,
    { reason: "cursor_expired", oldest_cursor: oldestCursor, issues: [{ path: "/after", message }] },
  );
}

/** Cursors that hold the number of an event, and the time and era in which it was read. */
class NumberCursor {
  readonly #cursors: CursorKey;
  readonly #scope: string;
  readonly #owner: string;

  constructor(cursors: CursorKey, scope: string, owner: string) {
    this.#cursors = cursors;
    this.#scope = scope;
    this.#owner = owner;
  }

  seal(after: number, { readAt, era }: Pick<EventsRead, "readAt" | "era">): string {
    return this.#cursors.seal(`${after} ${readAt} ${era}`, this.#scope, this.#owner);
  }

  /** @throws ApiError `bad_request` for a cursor of another list or other filters */
  open(cursor: string): Pick<EventQuery, "after" | "readAt" | "era"> {
    const place = this.#cursors.open(cursor, this.#scope, this.#owner);
    if (place === undefined) {
      throw badRequest("/after is no cursor of these events", {
        path: "/after",
        message: "is damaged, or belongs to another list or other filters",
      });
    }
    // Cursors of earlier versions have no time: they continue from the first restart of numbering.
    const [after, readAt = "0", era] = place.split(" ");
    return { after: Number(after), readAt: Number(readAt), era };
  }
}
