import type { RouteDefinition, RouteName } from "#contract";
import { PUBLISHER_API } from "#contract/openapi";
import type { GeneratedFile } from "./root.ts";

/** The folder of the collection, from the root of the checkout. */
export const BRUNO_FOLDER = "docs/bruno";

/** Ids stand in the examples by their prefix; requests that make or list a record keep its id in a variable. */
const VARIABLES: Readonly<Record<string, string>> = {
  atok: "api_token_id",
  batch: "batch_id",
  clip: "clip_id",
  deal: "deal_id",
  dlv: "delivery_id",
  evt: "event_id",
  lp: "loyalty_program_id",
  m: "member_id",
  mb: "member_base_id",
  qp: "qualifying_purchase_id",
  sc: "stamp_collection_id",
  whk: "webhook_id",
};

/** What a request keeps of its answer, as JavaScript that Bruno evaluates. */
const KEPT: { readonly [R in RouteName]?: Readonly<Record<string, string>> } = {
  "api-token/create": { api_token_id: "res.body.id" },
  "deal/list": { deal_id: "res.body.data?.[0]?.id" },
  "loyalty-program/list": { loyalty_program_id: "res.body.data?.[0]?.id" },
  "member-base/create": { member_base_id: "res.body.id" },
  "member/bulk-upsert": { member_id: "res.body[0]" },
  "qualifying-purchase/list": { qualifying_purchase_id: "res.body.data?.[0]?.id" },
  "transaction/ingest": { batch_id: "res.body.batch_id" },
  "wallet.clip/save": { clip_id: "res.body.id" },
  "wallet.stamp-collection/create": { stamp_collection_id: "res.body.id" },
  "webhook.delivery/list": { delivery_id: "res.body.data?.[0]?.id" },
  "webhook/create": { webhook_id: "res.body.id" },
};

const COLLECTION_DOCS = `Every request of the publisher API, with its example. Made by \`npm run generate\` from the table of routes: change
nothing here by hand.

Choose the environment \`all-in-one\` and paste a token into its secret variable \`token\`. The all-in-one start writes one
to \`.stampede/token\`. Bruno keeps a secret outside of this folder.

Requests that make a record keep its id: \`member-base/create\`, \`member/bulk-upsert\`, \`loyalty-program/list\`,
\`wallet.stamp-collection/create\` and \`transaction/ingest\`, in this order, are a first walk.`;

const ALL_IN_ONE = `vars {
  base_url: http://127.0.0.1:8080
}
vars:secret [
  token
]
`;

/** A Bruno collection of the publisher API: a folder for each resource, a file for each route. */
export function brunoCollection(): GeneratedFile[] {
  const resources = Object.entries(PUBLISHER_API.resources);
  const manifest = { version: "1", name: PUBLISHER_API.title, type: "collection" };
  const files: [path: string, text: string][] = [
    ["bruno.json", `${JSON.stringify(manifest, null, 2)}\n`],
    ["collection.bru", collection()],
    ["environments/all-in-one.bru", ALL_IN_ONE],
  ];
  for (const [index, [resource, description]] of resources.entries()) {
    const meta = block("meta", { name: resource, seq: String(index + 1) });
    files.push([`${resource}/folder.bru`, join(meta, textBlock("docs", description))]);
    const routes = Object.keys(PUBLISHER_API.routes).filter((route) => route.startsWith(`${resource}/`));
    for (const [at, route] of routes.entries())
      files.push([`${route}.bru`, request(route as RouteName, at + 1)]);
  }
  return files.map(([path, text]) => ({ file: `${BRUNO_FOLDER}/${path}`, text }));
}

function collection(): string {
  const token = block("auth:bearer", { token: "{{token}}" });
  return join(block("auth", { mode: "bearer" }), token, textBlock("docs", COLLECTION_DOCS));
}

function request(route: RouteName, seq: number): string {
  const definition = PUBLISHER_API.routes[route] as RouteDefinition<string>;
  const kept = KEPT[route];
  // A tilde: there to be switched on.
  const headers = {
    ...(definition.repeatable !== undefined && { "~idempotency-key": "{{$guid}}" }),
    ...(202 in definition.answers && { "~prefer": "respond-async" }),
  };
  return join(
    block("meta", { name: route.slice(route.indexOf("/") + 1), type: "http", seq: String(seq) }),
    block("post", { url: `{{base_url}}${PUBLISHER_API.prefix}${route}`, body: "json", auth: "inherit" }),
    ...(Object.keys(headers).length > 0 ? [block("headers", headers)] : []),
    textBlock("body:json", withVariables(JSON.stringify(PUBLISHER_API.examples[route], null, 2))),
    ...(kept === undefined ? [] : [block("vars:post-response", kept)]),
    textBlock("docs", `${definition.summary}. ${PUBLISHER_API.access[definition.access]}`),
  );
}

/** Each id that is an example becomes the variable of its kind. */
function withVariables(json: string): string {
  return json.replaceAll(/"([a-z]+)_[0-9a-hjkmnp-tv-z]{26}"/g, (id, prefix: string) => {
    const name = VARIABLES[prefix];
    return name === undefined ? id : `"{{${name}}}"`;
  });
}

function block(name: string, pairs: Readonly<Record<string, string>>): string {
  return `${name} {\n${indent(Object.entries(pairs).map(([key, value]) => `${key}: ${value}`))}\n}`;
}

/** Indented, so that no line of the text begins with the brace that would end the block. */
function textBlock(name: string, text: string): string {
  return `${name} {\n${indent(text.split("\n"))}\n}`;
}

function indent(lines: readonly string[]): string {
  return lines.map((line) => (line === "" ? "" : `  ${line}`)).join("\n");
}

function join(...blocks: string[]): string {
  return `${blocks.join("\n\n")}\n`;
}
