import { read, write } from "./route.ts";
import * as events from "./schemas/events.ts";
import { ById, PlainList, pageOf, TooMany } from "./schemas/fields.ts";
import * as webhook from "./schemas/webhook.ts";
import * as webhookDelivery from "./schemas/webhook-delivery.ts";

/** The routes for webhooks and events: a part of the table `ROUTES`, which explains the fields. */
export const WEBHOOK_ROUTES = {
  "webhook/create": write(
    "Register a webhook; its secret is in this answer only",
    webhook.WebhookCreate,
    webhook.WebhookCreated,
    {
      conflicts: ["too_many_webhooks"],
      refusalData: { 409: TooMany },
      repeatable: { secretInAnswer: true },
    },
  ),
  "webhook/get": read(
    "Read one webhook, with the number of events that wait for it",
    ById,
    webhook.WebhookDetail,
    { notFound: ["webhook"] },
  ),
  "webhook/list": read("List webhooks, oldest first", PlainList, pageOf(webhook.Webhook)),
  "webhook/update": write("Change, pause or enable a webhook", webhook.WebhookUpdate, webhook.Webhook, {
    notFound: ["webhook"],
  }),
  "webhook/delete": write("Remove a webhook and its waiting events", ById, webhook.Webhook, {
    notFound: ["webhook"],
  }),
  "webhook/rotate-secret": write(
    "Make a new secret; for a while the previous one signs too",
    webhook.WebhookRotateSecret,
    webhook.WebhookSecret,
    {
      notFound: ["webhook"],
      conflicts: ["too_many_secrets"],
    },
  ),
  "webhook/test": write(
    "Send a webhook.test event now, and return the result",
    ById,
    webhookDelivery.WebhookTestOutcome,
    { notFound: ["webhook"] },
  ),
  "webhook/retry": write(
    "Make a delivery that waits for its next attempt due now",
    ById,
    webhookDelivery.WebhookRetried,
    {
      notFound: ["webhook"],
      conflicts: ["not_enabled"],
    },
  ),
  "webhook.delivery/list": read(
    "List a webhook's deliveries with their last attempts; kept for 30 days",
    webhookDelivery.DeliveryList,
    pageOf(webhookDelivery.WebhookDelivery),
    { notFound: ["webhook"] },
  ),
  "webhook.delivery/get": read(
    "Read one delivery with every attempt; kept for 30 days",
    ById,
    webhookDelivery.DeliveryDetail,
    { notFound: ["webhook_delivery"] },
  ),
  "webhook.delivery/replay": write(
    "Send events to a webhook again, after those that wait for it",
    webhookDelivery.DeliveryReplay,
    webhookDelivery.DeliveryReplayed,
    {
      notFound: ["webhook"],
      conflicts: ["too_many_replays"],
    },
  ),
  "event/list": read(
    "Read webhook events, oldest first, from a cursor on; kept for 30 days",
    events.EventList,
    events.EventPage,
    {
      refusalData: { 400: events.CursorFault },
    },
  ),
} as const;
