import { PUBLISHER_PREFIX, ROUTES } from "../../routes.ts";
import type { ApiDescription } from "../api-description.ts";
import { EXAMPLES } from "./examples.ts";
import { FIELD_DESCRIPTIONS } from "./field-descriptions.ts";
import { NAMED_SCHEMAS } from "./named-schemas.ts";
import { RESOURCES } from "./resources.ts";
import { webhooksSection } from "./webhooks.ts";

const DESCRIPTION = `Takes in card transactions, follows each from authorization to clearing or reversal, and tells of
stamps and cashbacks through webhooks.

Every operation is a POST with a JSON object, \`{}\` where there is nothing to say. Unknown request fields are refused;
ignore answer fields that you do not know. A record of another organisation does not exist: 404.

Every answer carries \`x-trace-id\`; send a \`traceparent\` to choose it.`;

export const PUBLISHER_API: ApiDescription = {
  title: "Stampede publisher API",
  description: DESCRIPTION,
  prefix: PUBLISHER_PREFIX,
  routes: ROUTES,
  tokens: "An API token: `stp_live_…`.",
  access: { read: "Needs a token with read access.", write: "Needs a token with write access." },
  forbidden: { required: "write", accesses: ["write"] },
  hasRateLimit: true,
  resources: RESOURCES,
  examples: EXAMPLES,
  namedSchemas: NAMED_SCHEMAS,
  fieldDescriptions: FIELD_DESCRIPTIONS,
  webhooks: webhooksSection,
};
