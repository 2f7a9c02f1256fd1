import { Section } from "../parts/screen.tsx";
import { States } from "../parts/states.tsx";
import { useList } from "../parts/use-pages.ts";
import { RejectedEvents } from "../purchase/rejected-events.tsx";
import { ROWS } from "./member-list.tsx";

/** Events that named the member and were rejected. Most members have none, and nothing is shown then. */
export function MemberRejections({ memberId }: { readonly memberId: string }) {
  const pages = useList("publisher.v1/transaction.rejection/list", { member_id: memberId }, { limit: ROWS });
  if (pages.state === "loading") return null;
  if (pages.state !== "ready") {
    return (
      <Section title="Rejected events">
        <States call={pages}>{() => null}</States>
      </Section>
    );
  }
  const { rows, ...rest } = pages.answer;
  return rows.length === 0 ? null : <RejectedEvents rejections={rows} ofSeveral {...rest} />;
}
