import type { AnswerFrom } from "../console-routes.ts";
import { Badge } from "../parts/badge.tsx";
import { Moment } from "../parts/moment.tsx";
import type { Column } from "../parts/table.tsx";
import { useList } from "../parts/use-pages.ts";
import { MemberList, ROWS } from "./member-list.tsx";
import { DealName } from "./names.tsx";

type Clip = AnswerFrom<"publisher.v1/wallet.clip/list">["data"][number];

/** The deals that a member saved, the oldest first. */
export function Clips({ memberId }: { readonly memberId: string }) {
  const pages = useList("publisher.v1/wallet.clip/list", { member_id: memberId }, { limit: ROWS });
  return (
    <MemberList
      title="Saved deals"
      caption="Saved deals, oldest first"
      columns={COLUMNS}
      pages={pages}
      keyOf={({ id }) => id}
      none="The member has saved no deal."
    />
  );
}

const COLUMNS: ReadonlyArray<Column<Clip>> = [
  { title: "Saved", cell: ({ created_at }) => <Moment at={created_at} grain="minute" /> },
  { title: "Deal", cell: ({ deal_id }) => <DealName id={deal_id} /> },
  {
    title: "State",
    cell: ({ redeemed_at }) =>
      redeemed_at === undefined ? <Badge kind="busy">open</Badge> : <Badge kind="good">redeemed</Badge>,
  },
  { title: "Redeemed", cell: ({ redeemed_at }) => <Moment at={redeemed_at} grain="minute" /> },
];
