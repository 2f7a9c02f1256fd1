import { type ApiDescription, openApiDocument, PUBLISHER_API } from "#contract/openapi";
import { PLATFORM_API } from "#contract/platform";
import { replaceMarked } from "./replace-marked.ts";

/** The prose references, from the root of the checkout. Their tables of routes are generated. */
export const API_REFERENCES: ReadonlyArray<{ readonly file: string; readonly api: ApiDescription }> = [
  { file: "docs/api.md", api: PUBLISHER_API },
  { file: "docs/platform-api.md", api: PLATFORM_API },
];

interface Schema {
  readonly $ref?: string;
  readonly $comment?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

interface Content {
  readonly content: { readonly "application/json": { readonly schema: Schema } };
}

interface Operation {
  readonly summary: string;
  readonly requestBody: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

/** `text` with the API's present tables of routes, and of objects if it has a place for one. */
export function withTables(text: string, api: ApiDescription): string {
  const routed = withRoutes(text, api);
  return replaceMarked(routed, "objects", `\n${objectTable(api)}\n`) ?? routed;
}

/** Every object that has a name in the API's document, with its fields. */
function objectTable(api: ApiDescription): string {
  const { components } = openApiDocument(api) as {
    readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  };
  // A filter within a filter has the same fields.
  const schemas = Object.entries(components.schemas).filter(([name]) => !/Filter[2-9]$/.test(name));
  const rows = schemas.map(
    ([name, schema]) => `| \`${name}\` | ${fieldsOf(schema)} | ${schema.description ?? ""} |`,
  );
  return ["| object | fields | what |", "|---|---|---|", ...rows].join("\n");
}

/** If an object has several forms, the fields of each form, by the field that distinguishes them. */
function fieldsOf(schema: Schema): string {
  const { properties, required = [], oneOf, anyOf } = schema;
  const forms = oneOf ?? anyOf;
  if (properties === undefined) {
    return forms === undefined ? typeOf(schema) : forms.map((form) => `${fieldsOf(form)}`).join("; or ");
  }
  return Object.entries(properties)
    .map(([field, of]) => `\`${field}${required.includes(field) ? "" : "?"}\` ${typeOf(of)}`)
    .join(", ");
}

function typeOf({
  $ref,
  type,
  items,
  properties,
  enum: values,
  const: value,
  oneOf,
  anyOf,
  ...more
}: Schema): string {
  if ($ref !== undefined) return $ref.replace(/^.*\//, "");
  if (value !== undefined) return `\`${String(value)}\``;
  if (values !== undefined) return values.map((one) => `\`${String(one)}\``).join(" \\| ");
  const forms = oneOf ?? anyOf;
  if (forms !== undefined) return forms.map(typeOf).join(" or ");
  if (type === "array") return `list of ${typeOf(items ?? {})}`;
  if (properties !== undefined) return `{${fieldsOf({ properties, ...more })}}`;
  return type === undefined ? "any" : [type].flat().join(" or ");
}

/** `text` with the present table of routes of the API. Throws if it has no place for one. */
export function withRoutes(text: string, api: ApiDescription): string {
  const routed = replaceMarked(text, "routes", `\n${routeTable(api)}\n`);
  if (routed === undefined) throw new Error("the reference has lost the marks around its table of routes");
  return routed;
}

function routeTable(api: ApiDescription): string {
  const { paths } = openApiDocument(api);
  const routes = Object.entries(api.routes).sort(([a], [b]) => (a < b ? -1 : 1));
  const rows = routes.map(([route, { access }]) => {
    const operation = paths[api.prefix + route]?.post as Operation;
    const cells = [`\`${route}\``, access, operation.summary, requestOf(operation), answersOf(operation)];
    return `| ${cells.join(" | ")} |`;
  });
  return ["| path | access | what | request | answer |", "|---|---|---|---|---|", ...rows].join("\n");
}

function requestOf({ requestBody }: Operation): string {
  const { properties = {}, required = [], $comment } = schemaOf(requestBody);
  const isOptional = (field: string) => !required.includes(field);
  const fields = Object.keys(properties).map((field) => `\`${field}${isOptional(field) ? "?" : ""}\``);
  const rule = $comment === undefined ? "" : ` (${$comment})`;
  return fields.join(", ") + rule;
}

function answersOf({ responses }: Operation): string {
  const answers = Object.entries(responses).filter(([status]) => status.startsWith("2"));
  const name = (status: string) => (answers.length > 1 ? `${status}: ` : "");
  return answers.map(([status, answer]) => name(status) + answerOf(schemaOf(answer))).join("; ");
}

function answerOf(schema: Schema): string {
  if (schema.$ref !== undefined) return `\`${schema.$ref.replace(/^.*\//, "")}\``;
  const { properties = {} } = schema;
  if (properties.page !== undefined) return `page of ${answerOf(properties.data?.items ?? {})}`;
  if (schema.type === "array") return `array of ${schema.items?.type ?? "records"}s`;
  return `\`{${Object.keys(properties).join(", ")}}\``;
}

function schemaOf({ content }: Content): Schema {
  return content["application/json"].schema;
}
