import { uuidv7 } from "uuidv7";
import type { ApiError } from "#contract";
import type { PlatformAnswerOf, PlatformRequestOf } from "#contract/platform";
import { decodeId } from "#domain";
import { answerList, type CursorKey, found, jsonResponse } from "#http";
import type { Store } from "#postgres";
import { definePlatformEndpoint, LIST_OWNER, type PlatformEndpoint } from "../endpoint.ts";
import { makeOnce } from "../idempotency-keys.ts";
import type { VersionedRow, VersionedTable } from "./revised-table.ts";

/** Access for the endpoints of retailers, programs and deals. */
export interface ConfigurationAccess {
  readonly store: Store;
  readonly cursors: CursorKey;
  /**
   * Called after a change of a program or deal, with the request's `traceparent`, to publish it immediately.
   */
  readonly onChange: (traceparent: string | undefined) => void;
}

type VersionedRoute = "loyalty-program" | "deal";

/** The differences between the endpoints of programs and deals. */
interface VersionedKind<Route extends VersionedRoute, Row extends VersionedRow, Fields> {
  readonly route: Route;
  readonly idPrefix: Parameters<typeof decodeId>[0];
  readonly table: VersionedTable<Row, Fields>;
  readonly unknown: () => ApiError;
  /** @throws ApiError `bad_request` for faults that a schema cannot find */
  read(body: PlatformRequestOf<`${Route}/upsert`>): Fields;
  write(row: Row): PlatformAnswerOf<`${Route}/get`>;
}

export function versionedEndpoints<Route extends VersionedRoute, Row extends VersionedRow, Fields>(
  { store, cursors, onChange }: ConfigurationAccess,
  { route, idPrefix, table, unknown, read, write }: VersionedKind<Route, Row, Fields>,
): PlatformEndpoint[] {
  const idOf = (given: string) => found(decodeId(idPrefix, given), unknown);
  return [
    definePlatformEndpoint(`${route}/upsert`, async (call) => {
      const { body, traceparent } = call;
      const fields = read(body);
      if (body.id === undefined) {
        const made = await makeOnce(store, `${route}/upsert`, call, async (sql) =>
          write(await table.create(sql, { ...fields, id: uuidv7() })),
        );
        onChange(traceparent);
        return jsonResponse(200, made);
      }
      const row = found(await table.replace(store, { ...fields, id: idOf(body.id) }), unknown);
      onChange(traceparent);
      return jsonResponse(200, write(row));
    }),

    definePlatformEndpoint(`${route}/get`, async ({ body }) =>
      jsonResponse(200, write(found(await table.get(store, idOf(body.id)), unknown))),
    ),

    definePlatformEndpoint(`${route}/list`, ({ body }) =>
      answerList(
        { cursors, scope: `${route}/list`, owner: LIST_OWNER, pagination: body.pagination },
        (page) => table.list(store, page),
        write,
      ),
    ),

    definePlatformEndpoint(`${route}/delete`, async ({ body, traceparent }) => {
      const row = found(await table.delete(store, idOf(body.id)), unknown);
      onChange(traceparent);
      return jsonResponse(200, { ...write(row), deleted_at: row.deletedAt?.toISOString() });
    }),
  ];
}
