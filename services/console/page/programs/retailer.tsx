import { useState } from "preact/hooks";
import { call, useCall } from "../api.ts";
import type { Parameters } from "../frame/page-definition.ts";
import { AreaField, LineField } from "../parts/fields.tsx";
import { RecordScreen } from "../parts/screen.tsx";
import { Message } from "../parts/states.tsx";
import { readLines } from "./offer-form.ts";
import type { Retailer } from "./program-types.ts";
import { NEW, RecordEditor } from "./record-editor.tsx";

/** A retailer: its merchant ids and statement descriptors. */
export function RetailerPage({ parameters }: { readonly parameters: Parameters }) {
  const { id = NEW } = parameters;
  const kept = useCall("platform.v1/retailer/get", id === NEW ? undefined : { id });
  if (id === NEW) return <RetailerEditor />;
  const missing = <Message title="There is no such retailer">It was removed, or never was.</Message>;
  return (
    <RecordScreen title="Retailer" call={kept} missing={missing}>
      {(retailer) => <RetailerEditor kept={retailer} />}
    </RecordScreen>
  );
}

/** The texts in the fields; ids and descriptors are one a line. */
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

function RetailerEditor({ kept }: { readonly kept?: Retailer }) {
  const [form, setForm] = useState(() => formOf(kept));
  const [isTried, setTried] = useState(false);
  const faults = faultsOf(form);
  return (
    <RecordEditor
      kind="retailer"
      id={kept?.id}
      name={kept?.name ?? ""}
      updatedAt={kept?.updated_at}
      form={form}
      fields={<RetailerFields form={form} faults={isTried ? faults : {}} onChange={setForm} />}
      isComplete={Object.keys(faults).length === 0}
      onTried={() => setTried(true)}
      save={(options) => call("platform.v1/retailer/upsert", fieldsOf(form, kept?.id), options)}
      remove={(id, options) => call("platform.v1/retailer/delete", { id }, options)}
      saved="Saved. It holds for purchases from now on."
      saving="Purchases at its merchant ids belong to it from then on."
      removing="It and its token are gone for good. Purchases at its merchant ids no longer count."
    >
      {kept === undefined && (
        <p class="quiet">
          Its token is not shown here. If the retailer's own software is to send payments, ask the platform
          for one with retailer/rotate-token.
        </p>
      )}
    </RecordEditor>
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
        hint="One a line. They only count where another retailer has the same merchant id."
        value={form.descriptors}
        onChange={(descriptors) => onChange({ ...form, descriptors })}
      />
    </>
  );
}
