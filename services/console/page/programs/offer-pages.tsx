import { type CallError, useCall } from "../api.ts";
import type { Parameters } from "../frame/page-definition.ts";
import { RecordScreen } from "../parts/screen.tsx";
import { Message } from "../parts/states.tsx";
import { OfferEditor } from "./offer-editor.tsx";
import { dealForm, EMPTY_DEAL, EMPTY_PROGRAM, programForm } from "./offer-form.ts";
import { DEAL_PORT, PROGRAM_PORT } from "./offer-port.ts";

/** In the address, in the place of the id of one that is not kept yet. */
const NEW = "new";

export function ProgramPage({ parameters }: { readonly parameters: Parameters }) {
  const { id = NEW } = parameters;
  const kept = useCall("platform.v1/loyalty-program/get", id === NEW ? undefined : { id });
  if (id === NEW) return <OfferEditor port={PROGRAM_PORT} initial={EMPTY_PROGRAM} />;
  return (
    <RecordScreen title="Program" call={kept} onFailed={gone}>
      {(program) => <OfferEditor port={PROGRAM_PORT} initial={programForm(program)} id={program.id} />}
    </RecordScreen>
  );
}

export function DealPage({ parameters }: { readonly parameters: Parameters }) {
  const { id = NEW } = parameters;
  const kept = useCall("platform.v1/deal/get", id === NEW ? undefined : { id });
  if (id === NEW) return <OfferEditor port={DEAL_PORT} initial={EMPTY_DEAL} />;
  return (
    <RecordScreen title="Deal" call={kept} onFailed={gone}>
      {(deal) => <OfferEditor port={DEAL_PORT} initial={dealForm(deal)} id={deal.id} />}
    </RecordScreen>
  );
}

function gone({ code }: CallError) {
  if (code !== "not_found") return undefined;
  return <Message title="It is not there">It was removed, or never was.</Message>;
}
