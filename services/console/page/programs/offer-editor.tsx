import { useState } from "preact/hooks";
import { CallError, call, useCall } from "../api.ts";
import type { Parameters } from "../frame/page-definition.ts";
import { RecordScreen, Section } from "../parts/screen.tsx";
import { Failed, Message } from "../parts/states.tsx";
import { DryRunResult } from "./dry-run-result.tsx";
import { OfferFields } from "./offer-fields.tsx";
import {
  dealForm,
  EMPTY_DEAL,
  EMPTY_PROGRAM,
  type OfferForm,
  programForm,
  type Read,
  readDeal,
  readProgram,
} from "./offer-form.ts";
import type { Deal, DealFields, DryRun, OfferKind, Program, ProgramFields } from "./program-types.ts";
import { NEW, RecordEditor } from "./record-editor.tsx";

const OFFERS = {
  program: { routes: "platform.v1/loyalty-program", read: readProgram },
  deal: { routes: "platform.v1/deal", read: readDeal },
} as const;

interface OfferEditorProps {
  readonly kind: OfferKind;
  readonly initial: OfferForm;
  /** Undefined for an offer that is not saved yet. */
  readonly kept?: Program | Deal;
}

/** A program or deal: its fields, a dry run of them, and buttons that save and remove it. */
function OfferEditor({ kind, initial, kept }: OfferEditorProps) {
  const id = kept?.id;
  const [form, setForm] = useState(initial);
  const [isTried, setTried] = useState(false);
  const { routes, read } = OFFERS[kind];
  const { fields, faults = {} } = read(form) as Read<ProgramFields | DealFields>;
  const request = fields && { ...fields, ...(id !== undefined && { id }) };
  const shown = isTried ? faults : {};
  const onTried = () => setTried(true);
  return (
    <RecordEditor
      kind={kind}
      id={id}
      name={initial.name}
      updatedAt={kept?.updated_at}
      form={form}
      fields={
        <OfferFields
          kind={kind}
          form={form}
          faults={shown}
          onChange={(changes) => setForm((before) => ({ ...before, ...changes }))}
        />
      }
      isComplete={request !== undefined}
      onTried={onTried}
      save={(options) => call(`${routes}/upsert`, request as OfferRequest, options)}
      remove={(removed, options) => call(`${routes}/delete`, { id: removed }, options)}
      saved="Saved. It reaches the publishers within a second."
      saving="It reaches the publishers within a second, and counts for purchases from then on."
      removing="It is gone for good, here and at the publishers. Members keep what they have earned."
    >
      {Object.keys(shown).length > 0 && <p class="fault">Some fields are not filled in yet, see above.</p>}
      <DryRunSection kind={kind} request={request} onTried={onTried} />
    </RecordEditor>
  );
}

type OfferRequest = ProgramFields | DealFields;

interface DryRunSectionProps {
  readonly kind: OfferKind;
  /** Undefined while fields are missing or wrong. */
  readonly request: OfferRequest | undefined;
  onTried(): void;
}

type Trial =
  | { readonly state: "none" | "running" }
  | { readonly state: "done"; readonly run: DryRun }
  | { readonly state: "failed"; readonly error: CallError };

/** Tries the form on the last day's purchases. */
function DryRunSection({ kind, request, onTried }: DryRunSectionProps) {
  const [trial, setTrial] = useState<Trial>({ state: "none" });
  const isRunning = trial.state === "running";
  const start = async () => {
    if (isRunning) return;
    onTried();
    if (request === undefined) return setTrial({ state: "none" });
    setTrial({ state: "running" });
    try {
      setTrial({ state: "done", run: await call(`${OFFERS[kind].routes}/dry-run`, request) });
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      setTrial({ state: "failed", error });
    }
  };
  const actions = (
    <button type="button" onClick={start} aria-disabled={isRunning}>
      {isRunning ? "Trying" : "Try it"}
    </button>
  );
  return (
    <Section title="Dry run" actions={actions}>
      {trial.state === "none" && (
        <p class="quiet">
          Tries the fields above on the last day's purchases. It changes nothing, and no member earns
          anything.
        </p>
      )}
      {trial.state === "failed" && <Failed error={trial.error} />}
      {trial.state === "done" && <DryRunResult run={trial.run} kind={kind} />}
    </Section>
  );
}

export function ProgramPage({ parameters }: { readonly parameters: Parameters }) {
  const { id = NEW } = parameters;
  const kept = useCall("platform.v1/loyalty-program/get", id === NEW ? undefined : { id });
  if (id === NEW) return <OfferEditor kind="program" initial={EMPTY_PROGRAM} />;
  return (
    <RecordScreen title="Program" call={kept} missing={GONE}>
      {(program) => <OfferEditor kind="program" initial={programForm(program)} kept={program} />}
    </RecordScreen>
  );
}

export function DealPage({ parameters }: { readonly parameters: Parameters }) {
  const { id = NEW } = parameters;
  const kept = useCall("platform.v1/deal/get", id === NEW ? undefined : { id });
  if (id === NEW) return <OfferEditor kind="deal" initial={EMPTY_DEAL} />;
  return (
    <RecordScreen title="Deal" call={kept} missing={GONE}>
      {(deal) => <OfferEditor kind="deal" initial={dealForm(deal)} kept={deal} />}
    </RecordScreen>
  );
}

const GONE = <Message title="It is not there">It was removed, or never was.</Message>;
