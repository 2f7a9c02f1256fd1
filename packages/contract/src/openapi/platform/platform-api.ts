import { PLATFORM_PREFIX, PLATFORM_ROUTES } from "../../platform-routes.ts";
import type { ApiDescription } from "../api-description.ts";
import { EXAMPLES } from "./examples.ts";
import { FIELD_DESCRIPTIONS } from "./field-descriptions.ts";
import { NAMED_SCHEMAS } from "./named-schemas.ts";
import { RESOURCES } from "./resources.ts";

const DESCRIPTION = `Says which purchases count and what they earn, whose they are, and takes in what retailers were paid.

Every operation is a POST with a JSON object. Unknown request fields are refused; ignore answer fields that you do not
know.

Every answer carries \`x-trace-id\`; send a \`traceparent\` to choose it.`;

export const PLATFORM_API: ApiDescription = {
  title: "Stampede reference platform",
  description: DESCRIPTION,
  prefix: PLATFORM_PREFIX,
  routes: PLATFORM_ROUTES,
  tokens: "The platform's token, or a retailer's: `stp_live_…`.",
  access: {
    platform: "Needs the platform's token.",
    retailer: "Needs a retailer's token, or the platform's with `retailer_id`.",
  },
  // A retailer's token is also refused where the request names another retailer.
  forbidden: { required: "platform", accesses: ["platform", "retailer"] },
  hasRateLimit: false,
  resources: RESOURCES,
  examples: EXAMPLES,
  namedSchemas: NAMED_SCHEMAS,
  fieldDescriptions: FIELD_DESCRIPTIONS,
};
