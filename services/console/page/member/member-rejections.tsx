import { useList } from "../parts/use-pages.ts";
import { RejectedEvents } from "../purchase/rejected-events.tsx";
import { ROWS } from "./member-list.tsx";

/** Events that named the member and were rejected. Most members have none, and nothing is shown then. */
export function MemberRejections({ memberId }: { readonly memberId: string }) {
  const pages = useList("publisher.v1/transaction.rejection/list", { member_id: memberId }, { limit: ROWS });
  if (pages.state !== "ready" || pages.answer.rows.length === 0) return null;
  const { rows, more, isLoadingMore } = pages.answer;
  return <RejectedEvents rejections={rows} ofSeveral more={more} isLoadingMore={isLoadingMore} />;
}
