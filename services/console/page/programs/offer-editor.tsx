import { useRef, useState } from "preact/hooks";
import { CallError, useCall } from "../api.ts";
import { goTo } from "../frame/address.ts";
import type { Parameters } from "../frame/page-definition.ts";
import { pathOf } from "../frame/path-of.ts";
import { mayActAs, useSession } from "../frame/roles.ts";
import { Link } from "../frame/router.tsx";
import { Id } from "../parts/id.tsx";
import { ReasonDialog } from "../parts/reason-dialog.tsx";
import { RecordScreen, Screen, Section } from "../parts/screen.tsx";
import { Failed, Message } from "../parts/states.tsx";
import { DryRunResult } from "./dry-run-result.tsx";
import { OfferFields } from "./offer-fields.tsx";
import { dealForm, EMPTY_DEAL, EMPTY_PROGRAM, type OfferForm, programForm } from "./offer-form.ts";
import { DEAL_PORT, newKey, type OfferPort, PROGRAM_PORT } from "./offer-port.ts";
import type { DryRun } from "./program-types.ts";

/** In the address, in the place of the id of one that is not kept yet. */
const NEW = "new";

interface OfferEditorProps<Fields> {
  readonly port: OfferPort<Fields>;
  readonly initial: OfferForm;
  /** Undefined for one that is not kept yet. */
  readonly id?: string;
}

type Open = "save" | "remove";

/** A program or deal: its fields, a dry run of them, and what is done with them. */
export function OfferEditor<Fields>({ port, initial, id }: OfferEditorProps<Fields>) {
  const { role } = useSession();
  const mayChange = mayActAs(role, "administrator");
  const [form, setForm] = useState(initial);
  const [isTried, setTried] = useState(false);
  const [open, setOpen] = useState<Open>();
  const [notice, setNotice] = useState<string>();
  const key = useRef(newKey());
  const read = port.read(form);
  const faults = isTried ? (read.faults ?? {}) : {};
  const change = (changes: Partial<OfferForm>) => {
    setNotice(undefined);
    setForm((before) => ({ ...before, ...changes }));
  };
  const askToSave = () => {
    setTried(true);
    if (read.fields !== undefined) setOpen("save");
  };
  const save = async (reason: string) => {
    if (read.fields === undefined) return;
    const saved = await port.save(read.fields, id, { reason, idempotencyKey: key.current });
    if (id === undefined) goTo(pathOf(port.kind, saved.id));
    else setNotice("Saved. It reaches the publishers within a second.");
  };
  const remove = async (reason: string) => {
    if (id === undefined) return;
    await port.remove(id, reason);
    goTo(port.list);
  };
  const title = id === undefined ? `New ${port.kind}` : initial.name;
  return (
    <Screen title={title} lead={id && <Id id={id} />} actions={<Link to={port.list}>All {port.kind}s</Link>}>
      {notice !== undefined && (
        <p class="notice" role="status">
          {notice}
        </p>
      )}
      <div class="form">
        <fieldset class="whole" disabled={!mayChange}>
          <OfferFields kind={port.kind} form={form} faults={faults} onChange={change} />
        </fieldset>
        {Object.keys(faults).length > 0 && <p class="fault">Some fields are not filled in yet, see above.</p>}
        <DryRunSection port={port} id={id} read={read} onTried={() => setTried(true)} />
        {mayChange && (
          <div class="form-actions">
            <button type="button" class="primary" onClick={askToSave}>
              Save
            </button>
            {id !== undefined && (
              <button type="button" onClick={() => setOpen("remove")}>
                Remove
              </button>
            )}
          </div>
        )}
      </div>
      {open === "save" && (
        <ReasonDialog
          title={`Save the ${port.kind}`}
          action="Save"
          onConfirm={save}
          onClose={() => setOpen(undefined)}
        >
          It reaches the publishers within a second, and counts for purchases from then on.
        </ReasonDialog>
      )}
      {open === "remove" && (
        <ReasonDialog
          title={`Remove the ${port.kind}`}
          action="Remove"
          isFinal
          onConfirm={remove}
          onClose={() => setOpen(undefined)}
        >
          It is gone for good, here and at the publishers. What members have earned stays theirs.
        </ReasonDialog>
      )}
    </Screen>
  );
}

interface DryRunSectionProps<Fields> {
  readonly port: OfferPort<Fields>;
  readonly id: string | undefined;
  readonly read: ReturnType<OfferPort<Fields>["read"]>;
  onTried(): void;
}

type Trial =
  | { readonly state: "none" | "running" }
  | { readonly state: "done"; readonly run: DryRun }
  | { readonly state: "failed"; readonly error: CallError };

/** Tries what stands in the form on the last day's purchases. */
function DryRunSection<Fields>({ port, id, read, onTried }: DryRunSectionProps<Fields>) {
  const [trial, setTrial] = useState<Trial>({ state: "none" });
  const isRunning = trial.state === "running";
  const start = async () => {
    if (isRunning) return;
    onTried();
    if (read.fields === undefined) return setTrial({ state: "none" });
    setTrial({ state: "running" });
    try {
      setTrial({ state: "done", run: await port.dryRun(read.fields, id) });
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
          Tries what stands above on the last day's purchases. Nothing is changed, and nobody earns anything.
        </p>
      )}
      {trial.state === "failed" && <Failed error={trial.error} />}
      {trial.state === "done" && <DryRunResult run={trial.run} kind={port.kind} />}
    </Section>
  );
}

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
