import { LIMITS } from "../../limits.ts";
import { EVENTS, EventDelivery } from "../../schemas/events.ts";
import { publicNameOf, Type } from "../../type-builder.ts";
import { pascalCase } from "../names.ts";
import type { SchemaWriter } from "../schema-writer.ts";

const header = (name: string, description: string, required = true) => ({
  name,
  in: "header",
  required,
  description,
  schema: { type: "string" },
});

/** The headers of a delivery, by Standard Webhooks 1.0.0. */
const PARAMETERS = [
  header("webhook-id", "The same over all attempts of one delivery."),
  header("webhook-timestamp", "Seconds since 1970; refuse what is old."),
  header(
    "webhook-signature",
    "`v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`; several with spaces between them.",
  ),
  header("traceparent", "Where the service is traced: the span of this attempt (W3C Trace Context).", false),
];

const DESCRIPTION = `One of the events of a delivery, which has up to ${LIMITS.eventsPerDelivery} of several types, in their order.
Verify \`webhook-signature\` over the body as it came, and drop an \`event_id\` that you have seen.`;

const RESPONSES = {
  "2XX": { description: "Taken. Answer within 15 s." },
  "410": { description: "Gone: the webhook is disabled." },
  default: { description: "Not taken: the delivery is sent again later, and those behind it wait." },
};

/** The requests to a webhook, by type of event. A delivery may hold events of several types. */
export function webhooksSection(writer: SchemaWriter): Record<string, object> {
  const entries = Object.entries(EVENTS).map(([type, schema]) => {
    // Repeats `items`: linters, and generators that do not merge, expect it in each `type: array`.
    const { items } = EventDelivery.properties.events;
    const events = { type: "array", items, contains: schema };
    const body = Type.Unsafe({ allOf: [EventDelivery, { type: "object", properties: { events } }] });
    const operation = {
      operationId: `on${pascalCase(type)}`,
      summary: publicNameOf(schema)?.description.replace(/\.$/, ""),
      description: DESCRIPTION,
      security: [],
      parameters: PARAMETERS,
      requestBody: {
        required: true,
        content: { "application/json": { schema: writer.write(body, type) } },
      },
      responses: RESPONSES,
    };
    return [type, { post: operation }];
  });
  return Object.fromEntries(entries);
}
