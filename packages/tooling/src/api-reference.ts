import { openApiDocument, PUBLISHER_PREFIX, ROUTES, type RouteName } from "#contract";

/** The prose reference, from the root of the checkout. Its table of routes is generated. */
export const API_REFERENCE_FILE = "docs/api.md";

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

/** `text` with the table of routes as the route table has them now. Throws when it has no place for one. */
export function withRoutes(text: string): string {
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin < 0 || end < begin)
    throw new Error(`${API_REFERENCE_FILE} has lost the marks around its table of routes`);
  return `${text.slice(0, begin + BEGIN.length)}\n\n${routeTable()}\n\n${text.slice(end)}`;
}

function routeTable(): string {
  const { paths } = openApiDocument();
  const rows = (Object.keys(ROUTES) as RouteName[]).sort().map((route) => {
    const operation = paths[PUBLISHER_PREFIX + route]?.post as Operation;
    const { access } = ROUTES[route];
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
