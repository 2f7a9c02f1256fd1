import type { LetterLine } from "../../src/dead-letters/dead-letter-routes.ts";
import type { Parameters } from "../frame/page-definition.ts";
import { pathOf } from "../frame/path-of.ts";
import { Link } from "../frame/router.tsx";
import { Badge } from "../parts/badge.tsx";
import { Moment } from "../parts/moment.tsx";
import { Screen } from "../parts/screen.tsx";
import { type Column, PagedTable } from "../parts/table.tsx";
import { useList } from "../parts/use-list.ts";
import { reasonWords } from "./letter-words.ts";

/** The letters that came from one stream for one reason, oldest first. */
export function LettersOfGroupPage({ parameters }: { readonly parameters: Parameters }) {
  const { stream = "", reason = "" } = parameters;
  const pages = useList("dead-letters/list", { stream, reason });
  return (
    <Screen
      title={`${reason} from ${stream}`}
      lead={reasonWords(reason)}
      actions={<Link to="/dead-letters">All groups</Link>}
    >
      <PagedTable
        caption="Dead letters, oldest first"
        columns={COLUMNS}
        pages={pages}
        keyOf={({ sequence }) => sequence}
        none="There are none any more."
      />
    </Screen>
  );
}

const COLUMNS: Column<LetterLine>[] = [
  {
    title: "Letter",
    cell: ({ sequence }) => <Link to={pathOf("dead-letter", String(sequence))}>{sequence}</Link>,
  },
  { title: "Died", cell: ({ at }) => <Moment at={at} /> },
  {
    title: "Purchase",
    cell: ({ external_id: id }) => (id === undefined ? <span class="quiet">–</span> : <code>{id}</code>),
  },
  { title: "SQLSTATE", cell: ({ error }) => error ?? <span class="quiet">–</span> },
  {
    title: "Can be put back",
    isExtra: true,
    cell: ({ can_be_redriven: can }) => (can ? <Badge kind="good">yes</Badge> : <Badge>no</Badge>),
  },
];
