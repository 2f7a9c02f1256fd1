import { type ComponentChildren, createContext } from "preact";
import { useContext, useMemo } from "preact/hooks";
import { useCall } from "../api.ts";
import type { AnswerFrom } from "../console-routes.ts";
import { Link, pathOf } from "../frame/router.tsx";

/** How many rows of a list are asked for at a time. */
export const ROWS = 50;

type Program = AnswerFrom<"publisher.v1/loyalty-program/list">["data"][number];
type Source = AnswerFrom<"publisher.v1/wallet.cashback/list">["data"][number]["source"];

interface Names {
  /** By id. */
  readonly programs: ReadonlyMap<string, Program>;
  readonly deals: ReadonlyMap<string, string>;
}

const NONE: Names = { programs: new Map(), deals: new Map() };
const NamesContext = createContext(NONE);

/** Programs and deals beyond these, and removed ones, are shown by their ids. */
const NAMED = { pagination: { limit: 1000 } };

/** Asks once for the programs and deals that the lists of a member name by id. */
export function WithNames({ children }: { readonly children: ComponentChildren }) {
  const programs = useCall("publisher.v1/loyalty-program/list", NAMED);
  const deals = useCall("publisher.v1/deal/list", NAMED);
  const names = useMemo(
    () => ({
      programs: new Map(
        programs.state === "ready" ? programs.answer.data.map((program) => [program.id, program]) : [],
      ),
      deals: new Map(deals.state === "ready" ? deals.answer.data.map(({ id, name }) => [id, name]) : []),
    }),
    [programs, deals],
  );
  return <NamesContext.Provider value={names}>{children}</NamesContext.Provider>;
}

/** Undefined until the answer has come, and for a removed program. */
export function useProgram(id: string): Program | undefined {
  return useContext(NamesContext).programs.get(id);
}

export function ProgramName({ id }: { readonly id: string }) {
  const program = useProgram(id);
  return program === undefined ? <code>{id}</code> : program.name;
}

export function DealName({ id }: { readonly id: string }) {
  const name = useContext(NamesContext).deals.get(id);
  return name === undefined ? <code>{id}</code> : name;
}

/** The program or deal of a cashback. */
export function SourceName({ source }: { readonly source: Source }) {
  return source.type === "clip" ? (
    <>
      <DealName id={source.deal_id} /> <span class="quiet">saved deal</span>
    </>
  ) : (
    <>
      <ProgramName id={source.loyalty_program_id} /> <span class="quiet">full card</span>
    </>
  );
}

/** A purchase, by its `external_id`. */
export function PurchaseLink({ externalId }: { readonly externalId: string }) {
  return (
    <Link to={pathOf("purchase", externalId)} class="purchase-link">
      {externalId}
    </Link>
  );
}
