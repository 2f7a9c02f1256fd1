import * as events from "./schemas/events.ts";
import { ById, PlainList, pageOf, TooMany } from "./schemas/fields.ts";
import * as webhook from "./schemas/webhook.ts";
import * as webhookDelivery from "./schemas/webhook-delivery.ts";

/** The routes for webhooks and events: a part of the table `ROUTES`, which explains the fields. */
export const WEBHOOK_ROUTES = {
  "webhook/create": {
    access: "write",
    summary: "Register a webhook; its secret is in this answer only",
    request: webhook.WebhookCreate,
    answers: { 200: webhook.WebhookCreated },
    conflicts: ["too_many_webhooks"],
    refusalData: { 409: TooMany },
    repeatable: { secretInAnswer: true },
  },
  "webhook/get": {
    access: "read",
    summary: "Read one webhook, with the number of events that wait for it",
    request: ById,
    answers: { 200: webhook.WebhookDetail },
    notFound: ["webhook"],
  },
  "webhook/list": {
    access: "read",
    summary: "List webhooks, oldest first",
    request: PlainList,
    answers: { 200: pageOf(webhook.Webhook) },
  },
  "webhook/update": {
    access: "write",
    summary: "Change, pause or enable a webhook",
    request: webhook.WebhookUpdate,
    answers: { 200: webhook.Webhook },
    notFound: ["webhook"],
  },
  "webhook/delete": {
    access: "write",
    summary: "Remove a webhook and its waiting events",
    request: ById,
    answers: { 200: webhook.Webhook },
    notFound: ["webhook"],
  },
  "webhook/rotate-secret": {
    access: "write",
    summary: "Make a new secret; for a while the previous one signs too",
    request: webhook.WebhookRotateSecret,
    answers: { 200: webhook.WebhookSecret },
    notFound: ["webhook"],
    conflicts: ["too_many_secrets"],
  },
  "webhook/test": {
    access: "write",
    summary: "Send a webhook.test event now, and return the result",
    request: ById,
    answers: { 200: webhookDelivery.WebhookTestOutcome },
    notFound: ["webhook"],
  },
  "webhook/retry": {
    access: "write",
    summary: "Make a delivery that waits for its next attempt due now",
    request: ById,
    answers: { 200: webhookDelivery.WebhookRetried },
    notFound: ["webhook"],
    conflicts: ["not_enabled"],
  },
  "webhook.delivery/list": {
    access: "read",
    summary: "List a webhook's deliveries with their last attempts; kept for 30 days",
    request: webhookDelivery.DeliveryList,
    answers: { 200: pageOf(webhookDelivery.WebhookDelivery) },
    notFound: ["webhook"],
  },
  "webhook.delivery/get": {
    access: "read",
    summary: "Read one delivery with every attempt; kept for 30 days",
    request: ById,
    answers: { 200: webhookDelivery.DeliveryDetail },
    notFound: ["webhook_delivery"],
  },
  "webhook.delivery/replay": {
    access: "write",
    summary: "Send events to a webhook again, after those that wait for it",
    request: webhookDelivery.DeliveryReplay,
    answers: { 200: webhookDelivery.DeliveryReplayed },
    notFound: ["webhook"],
    conflicts: ["too_many_replays"],
  },
  "event/list": {
    access: "read",
    summary: "Read webhook events, oldest first, from a cursor on; kept for 30 days",
    request: events.EventList,
    answers: { 200: events.EventPage },
    refusalData: { 400: events.CursorFault },
  },
} as const;
