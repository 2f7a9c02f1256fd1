import { Section } from "../parts/screen.tsx";
import { States } from "../parts/states.tsx";
import { usePages } from "../parts/use-pages.ts";
import { RejectedEvents } from "../purchase/rejected-events.tsx";
import { ROWS } from "./member-list.tsx";

/** Events that named the member and were rejected. Most members have none, and nothing is shown then. */
export function MemberRejections({ memberId }: { readonly memberId: string }) {
  const pages = usePages({
    route: "publisher.v1/transaction.rejection/list",
    key: memberId,
    bodyOf: (cursor) => ({ member_id: memberId, pagination: { limit: ROWS, cursor: cursor ?? null } }),
    rowsOf: ({ data }) => data,
    cursorOf: ({ page }) => page.cursor,
  });
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
