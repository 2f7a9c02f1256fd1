import { useRef, useState } from "preact/hooks";
import { type CallError, call, useCall } from "../api.ts";
import { goTo } from "../frame/address.ts";
import type { Parameters } from "../frame/page-definition.ts";
import { pathOf } from "../frame/path-of.ts";
import { mayActAs, useSession } from "../frame/roles.ts";
import { Link } from "../frame/router.tsx";
import { Id } from "../parts/id.tsx";
import { ReasonDialog } from "../parts/reason-dialog.tsx";
import { RecordScreen, Screen } from "../parts/screen.tsx";
import { Message } from "../parts/states.tsx";
import { AreaField, LineField } from "./fields.tsx";
import { readLines } from "./offer-form.ts";
import { newKey } from "./offer-port.ts";
import type { Retailer } from "./program-types.ts";

const LIST = "/programs/retailers";

/** A retailer: which purchases are its own. */
export function RetailerPage({ parameters }: { readonly parameters: Parameters }) {
  const { id = "new" } = parameters;
  const kept = useCall("platform.v1/retailer/get", id === "new" ? undefined : { id });
  if (id === "new") return <RetailerEditor />;
  return (
    <RecordScreen title="Retailer" call={kept} onFailed={gone}>
      {(retailer) => <RetailerEditor kept={retailer} />}
    </RecordScreen>
  );
}

function gone({ code }: CallError) {
  if (code !== "not_found") return undefined;
  return <Message title="There is no such retailer">It was removed, or never was.</Message>;
}

/** A retailer while somebody writes it: texts as they stand in the fields, of the ids and descriptors one a line. */
interface RetailerForm {
  readonly name: string;
  readonly merchantIds: string;
  readonly descriptors: string;
}

function formOf(kept: Retailer | undefined): RetailerForm {
  return {
    name: kept?.name ?? "",
    merchantIds: kept?.merchant_ids.join("\n") ?? "",
    descriptors: kept?.statement_descriptors.join("\n") ?? "",
  };
}

type Faults = Readonly<Partial<Record<keyof RetailerForm, string>>>;

function faultsOf({ name, merchantIds }: RetailerForm): Faults {
  return {
    ...(name.trim() === "" && { name: "is needed" }),
    ...(readLines(merchantIds).length === 0 && { merchantIds: "at least one is needed" }),
  };
}

function fieldsOf({ name, merchantIds, descriptors }: RetailerForm, id: string | undefined) {
  return {
    ...(id !== undefined && { id }),
    name: name.trim(),
    merchant_ids: readLines(merchantIds),
    statement_descriptors: readLines(descriptors),
  };
}

type Open = "save" | "remove";

function RetailerEditor({ kept }: { readonly kept?: Retailer }) {
  const { role } = useSession();
  const [form, setForm] = useState(() => formOf(kept));
  const [isTried, setTried] = useState(false);
  const [open, setOpen] = useState<Open>();
  const [notice, setNotice] = useState<string>();
  const key = useRef(newKey());
  const faults = faultsOf(form);
  const mayChange = mayActAs(role, "administrator");
  const askToSave = () => {
    setTried(true);
    if (Object.keys(faults).length === 0) setOpen("save");
  };
  const save = async (reason: string) => {
    const options = { reason, ...(kept === undefined && { idempotencyKey: key.current }) };
    const saved = await call("platform.v1/retailer/upsert", fieldsOf(form, kept?.id), options);
    if (kept === undefined) goTo(pathOf("retailer", saved.id));
    else setNotice("Saved. Purchases go by it from now on.");
  };
  return (
    <Screen
      title={kept?.name ?? "New retailer"}
      lead={kept && <Id id={kept.id} />}
      actions={<Link to={LIST}>All retailers</Link>}
    >
      {notice !== undefined && (
        <p class="notice" role="status">
          {notice}
        </p>
      )}
      <div class="form">
        <fieldset class="whole" disabled={!mayChange}>
          <RetailerFields form={form} faults={isTried ? faults : {}} onChange={setForm} />
        </fieldset>
        {kept === undefined && <NoToken />}
        {mayChange && (
          <div class="form-actions">
            <button type="button" class="primary" onClick={askToSave}>
              Save
            </button>
            {kept !== undefined && (
              <button type="button" onClick={() => setOpen("remove")}>
                Remove
              </button>
            )}
          </div>
        )}
      </div>
      <Dialogs open={open} kept={kept} save={save} onClose={() => setOpen(undefined)} />
    </Screen>
  );
}

interface RetailerFieldsProps {
  readonly form: RetailerForm;
  readonly faults: Faults;
  onChange(form: RetailerForm): void;
}

function RetailerFields({ form, faults, onChange }: RetailerFieldsProps) {
  return (
    <>
      <LineField
        label="Name"
        value={form.name}
        onChange={(name) => onChange({ ...form, name })}
        fault={faults.name}
      />
      <AreaField
        label="Merchant ids"
        hint="One a line. No two retailers have the same one, unless descriptors tell them apart."
        value={form.merchantIds}
        onChange={(merchantIds) => onChange({ ...form, merchantIds })}
        fault={faults.merchantIds}
      />
      <AreaField
        label="Statement descriptors begin with"
        hint="One a line. Only looked at where another retailer has the same merchant id."
        value={form.descriptors}
        onChange={(descriptors) => onChange({ ...form, descriptors })}
      />
    </>
  );
}

function NoToken() {
  return (
    <p class="quiet">
      Its token is not shown here. If the retailer's own software is to send payments, ask the platform for
      one with retailer/rotate-token.
    </p>
  );
}

interface DialogsProps {
  readonly open: Open | undefined;
  readonly kept: Retailer | undefined;
  save(reason: string): Promise<void>;
  onClose(): void;
}

function Dialogs({ open, kept, save, onClose }: DialogsProps) {
  const remove = async (reason: string) => {
    if (kept === undefined) return;
    await call("platform.v1/retailer/delete", { id: kept.id }, { reason });
    goTo(LIST);
  };
  if (open === "save") {
    return (
      <ReasonDialog title="Save the retailer" action="Save" onConfirm={save} onClose={onClose}>
        Purchases at its merchant ids are its own from then on.
      </ReasonDialog>
    );
  }
  if (open === "remove") {
    return (
      <ReasonDialog title="Remove the retailer" action="Remove" isFinal onConfirm={remove} onClose={onClose}>
        It and its token are gone for good. What is paid at its merchant ids counts for nothing any more.
      </ReasonDialog>
    );
  }
  return null;
}
