import type { AnswerOf } from "#contract";
import { decodeId, encodeId } from "#domain";
import { answerList, type CursorKey, readTimeSpan } from "#http";
import type { SharedStore } from "#postgres";
import { defineEndpoint, type PublisherEndpoint } from "../endpoint.ts";
import { keptAt, listRejections, type NotKeptRow, type RejectionRow } from "./list-rejections.ts";

const EMPTY = { records: [], more: false };

export function transactionRejectionEndpoints(store: SharedStore, cursors: CursorKey): PublisherEndpoint[] {
  return [
    defineEndpoint("transaction.rejection/list", ({ body, caller: { organisationId } }) => {
      const { external_id, member_id, pagination } = body;
      const rejected = readTimeSpan(body);
      const filters = JSON.stringify([member_id, external_id, rejected.since, rejected.until]);
      const scope = `transaction.rejection/list ${filters}`;
      return answerList(
        { cursors, scope, owner: organisationId, pagination },
        async (page) => {
          const memberId = member_id === undefined ? undefined : decodeId("m", member_id);
          // No row has such a member. Whether the member exists does not matter: events are rejected because
          // their member does not.
          if (member_id !== undefined && memberId === undefined) return EMPTY;
          return listRejections(
            store.lineOf(organisationId),
            { organisationId, externalId: external_id, memberId, rejected },
            page,
          );
        },
        writeRejection,
      );
    }),
  ];
}

type Written = AnswerOf<"transaction.rejection/list">["data"][number];

function writeRejection(row: RejectionRow | NotKeptRow): Written {
  const rejected_at = keptAt(row).toISOString();
  if (row.notKept !== null) {
    return { rejected_at, code: "not_kept", reason: "too_many_in_a_minute", count: row.notKept };
  }
  const { batchId, index, memberId, fromState, toState, field } = row;
  return {
    rejected_at,
    code: row.code,
    reason: row.reason,
    external_id: row.externalId,
    member_id: memberId === null ? null : encodeId("m", memberId),
    ...(batchId !== null && { batch_id: encodeId("batch", batchId) }),
    ...(index !== null && { index }),
    ...(fromState !== null && { from: fromState }),
    ...(toState !== null && { to: toState }),
    ...(field !== null && { field }),
  };
}
