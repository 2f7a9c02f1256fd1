import { type ApiDescription, openApiDocument, PUBLISHER_API } from "#contract/openapi";
import { PLATFORM_API } from "#contract/platform";

/** The prose references, from the root of the checkout. Their tables of routes are generated. */
export const API_REFERENCES: ReadonlyArray<{ readonly file: string; readonly api: ApiDescription }> = [
  { file: "docs/api.md", api: PUBLISHER_API },
  { file: "docs/platform-api.md", api: PLATFORM_API },
];

const BEGIN = "<!-- routes: made by `npm run generate` -->";
const END = "<!-- routes end -->";

interface Schema {
  readonly $ref?: string;
  readonly $comment?: string;
  readonly type?: string;
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

/** `text` with the table of routes as the API has them now. Throws when it has no place for one. */
export function withRoutes(text: string, api: ApiDescription): string {
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin < 0 || end < begin)
    throw new Error("the reference has lost the marks around its table of routes");
  return `${text.slice(0, begin + BEGIN.length)}\n\n${routeTable(api)}\n\n${text.slice(end)}`;
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
