import { useCall } from "../api.ts";
import type { AnswerFrom } from "../console-routes.ts";
import type { Parameters } from "../frame/page-definition.ts";
import { Link } from "../frame/router.tsx";
import { Badge } from "../parts/badge.tsx";
import { Id } from "../parts/id.tsx";
import { Json } from "../parts/json.tsx";
import { Moment } from "../parts/moment.tsx";
import { Facts, Screen, Section } from "../parts/screen.tsx";
import { Message, States } from "../parts/states.tsx";
import { type Column, PagedTable } from "../parts/table.tsx";
import { useList } from "../parts/use-list.ts";
import { RejectedEvents } from "../purchase/rejected-events.tsx";
import { Cards } from "./cards.tsx";
import { Cashbacks } from "./cashbacks.tsx";
import { DealName, ROWS, WithNames } from "./names.tsx";
import { Purchases } from "./purchases.tsx";
import { Redemptions } from "./redemptions.tsx";

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

type Member = AnswerFrom<"publisher.v1/member/get">;

/** One member: cards, saved deals, cashbacks, and every purchase. */
export function MemberPage({ parameters }: { readonly parameters: Parameters }) {
  const id = parameters.id ?? "";
  const member = useCall("publisher.v1/member/get", { id });
  const title = member.state === "ready" ? member.answer.ref : "Member";
  return (
    <Screen title={title} lead={<Id id={id} />}>
      <States call={member} missing={<NoMember />}>
        {(found) => <Found member={found} />}
      </States>
    </Screen>
  );
}

/** The lists are asked for only once it is known that the member exists. */
function Found({ member }: { readonly member: Member }) {
  const { id } = member;
  return (
    <WithNames>
      <MemberFacts member={member} />
      <Cards memberId={id} />
      <Purchases memberId={id} />
      <Clips memberId={id} />
      <Cashbacks memberId={id} />
      <Redemptions memberId={id} />
      <MemberRejections memberId={id} />
    </WithNames>
  );
}

function MemberFacts({ member }: { readonly member: Member }) {
  const { ref, member_base_id, created_at, updated_at, attributes } = member;
  const base = useCall("publisher.v1/member-base/get", { id: member_base_id });
  const count = Object.keys(attributes).length;
  return (
    <>
      <Facts
        facts={[
          { name: "ref", value: <Id id={ref} /> },
          {
            name: "Memberbase",
            value: base.state === "ready" ? base.answer.name : <code>{member_base_id}</code>,
          },
          { name: "Since", value: <Moment at={created_at} grain="minute" /> },
          { name: "Changed", value: <Moment at={updated_at} grain="minute" /> },
        ]}
      />
      {count > 0 && <Json value={attributes} title={count === 1 ? "1 attribute" : `${count} attributes`} />}
    </>
  );
}

function NoMember() {
  return (
    <Message title="There is no such member">
      <span>
        It was deleted, perhaps with its memberbase, or it never was in this organisation. Its purchases stay,
        and are found by their <code>external_id</code>. A member that was made again has a new id: look for
        the <code>ref</code>.
      </span>
      <Link to="/find">Find</Link>
    </Message>
  );
}

/** Rejected events that name the member. Most members have none; then the page has no such section. */
function MemberRejections({ memberId }: { readonly memberId: string }) {
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

type Clip = AnswerFrom<"publisher.v1/wallet.clip/list">["data"][number];

/** The deals that a member saved, the oldest first. */
function Clips({ memberId }: { readonly memberId: string }) {
  const pages = useList("publisher.v1/wallet.clip/list", { member_id: memberId }, { limit: ROWS });
  return (
    <Section title="Saved deals">
      <PagedTable
        caption="Saved deals, oldest first"
        columns={COLUMNS}
        pages={pages}
        keyOf={({ id }) => id}
        none="The member has saved no deal."
      />
    </Section>
  );
}
