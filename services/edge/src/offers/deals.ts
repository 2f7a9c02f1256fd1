import type { AnswerOf } from "#contract";
import { encodeId } from "#domain";
import { type CursorKey, notFound } from "#http";
import {
  keyset,
  type MeasuredRow,
  type Page,
  type PageRequest,
  type SharedStore,
  type Sql,
  toMeasuredPage,
  withinBytes,
} from "#postgres";
import { type Deal, dealColumns } from "#publisher-db";
import { defineById, defineList, type PublisherEndpoint } from "../endpoint.ts";

/** The platform configures deals, and every organisation sees the same ones. Cursors belong to one organisation even so. */
export function dealEndpoints(store: SharedStore, cursors: CursorKey): PublisherEndpoint[] {
  const kind = { store, prefix: "deal", unknown: unknownDeal } as const;
  return [
    defineById("deal/get", kind, (sql, _, id) => getDeal(sql, id), writeDeal),
    defineList("deal/list", { store, cursors }, (sql, _, page) => listDeals(sql, page), writeDeal),
  ];
}

export const unknownDeal = () => notFound("deal");

function writeDeal(deal: Deal): AnswerOf<"deal/get"> {
  return {
    id: encodeId("deal", deal.id),
    name: deal.name,
    reward_config: deal.rewardConfig,
    display_content: deal.displayContent,
    ...(deal.startsAt !== null && { starts_at: deal.startsAt.toISOString() }),
    ...(deal.endsAt !== null && { ends_at: deal.endsAt.toISOString() }),
    created_at: deal.createdAt.toISOString(),
    updated_at: deal.updatedAt.toISOString(),
  };
}

/** undefined: there is no such deal, or the platform has removed it. A deal that is over is still found. */
export async function getDeal(sql: Sql, dealId: string): Promise<Deal | undefined> {
  const [deal] = await sql<Deal[]>`
    select ${dealColumns(sql)} from deals where id = ${dealId} and removed_at is null`;
  return deal;
}

/** In the order of ids, without removed deals; those that are over or have not begun are listed too. */
export async function listDeals(sql: Sql, page: PageRequest): Promise<Page<Deal>> {
  const listed = sql`
    select ${dealColumns(sql)} from deals where removed_at is null ${keyset(sql, page)}`;
  const rows = await sql<(Deal & MeasuredRow)[]>`
    ${withinBytes(sql, { rows: listed, order: sql`id`, long: [sql`"displayContent"`] })}`;
  return toMeasuredPage(rows, page.limit);
}
