import type { CallError } from "../api.ts";
import { Link, pathOf } from "../frame/router.tsx";
import { Moment } from "../parts/moment.tsx";
import { Section } from "../parts/screen.tsx";
import { Failed } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { rejectionClause } from "./rejection-words.ts";
import type { Rejection } from "./shapes.ts";
import { sentence } from "./words.ts";

interface RejectedEventsProps {
  readonly rejections: readonly Rejection[];
  /** Whether they are of several purchases, so that each names its own. */
  readonly ofSeveral?: boolean;
  readonly more?: (() => void) | undefined;
  readonly isLoadingMore?: boolean;
  /** Why the next of them could not be loaded. */
  readonly failure?: CallError | undefined;
}

/** Events that the lifecycle refused, the newest first. They are kept for 30 days. */
export function RejectedEvents({
  rejections,
  ofSeveral = false,
  more,
  isLoadingMore = false,
  failure,
}: RejectedEventsProps) {
  return (
    <Section title="Rejected events">
      <Table
        caption="Rejected events, newest first"
        columns={ofSeveral ? OF_SEVERAL : OF_ONE}
        rows={rejections}
        keyOf={({ batch_id, index, rejected_at, external_id }) =>
          `${batch_id} ${index} ${rejected_at} ${external_id}`
        }
        more={more}
        isLoadingMore={isLoadingMore}
      />
      {failure !== undefined && <Failed error={failure} />}
    </Section>
  );
}

const WHEN: Column<Rejection> = { title: "When", cell: ({ rejected_at }) => <Moment at={rejected_at} /> };
const WHY: Column<Rejection> = { title: "Why", cell: (rejection) => sentence(rejectionClause(rejection)) };
const PURCHASE: Column<Rejection> = {
  title: "external_id",
  cell: ({ external_id = "" }) => <Link to={pathOf("purchase", external_id)}>{external_id}</Link>,
};
const BATCH: Column<Rejection> = {
  title: "Request",
  isExtra: true,
  cell: ({ batch_id, index }) =>
    batch_id === undefined ? (
      <span class="quiet">put back from the dead letters</span>
    ) : (
      <span>
        <code>{batch_id}</code> <span class="quiet">event {index}</span>
      </span>
    ),
};

const OF_ONE = [WHEN, WHY, BATCH];
const OF_SEVERAL = [WHEN, PURCHASE, WHY, BATCH];
