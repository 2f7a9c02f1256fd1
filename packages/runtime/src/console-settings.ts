import {
  basePath,
  cidrs,
  fieldName,
  groups,
  httpUrl,
  httpUrls,
  integer,
  origin,
  port,
  type Setting,
  secretList,
  secretText,
  serverUrl,
  text,
} from "./setting.ts";

/** What the console reads: a part of the table `SETTINGS`. */
export const CONSOLE_SETTINGS = {
  consoleHost: text("STAMPEDE_CONSOLE_HOST", {
    about: "console, address; other than loopback only behind proxies of STAMPEDE_CONSOLE_PROXIES",
    readers: ["console"],
    fallback: "127.0.0.1",
  }),
  consolePort: port("STAMPEDE_CONSOLE_PORT", {
    about: "console, port",
    readers: ["console"],
    fallback: 8070,
  }),
  consoleBasePath: basePath("STAMPEDE_CONSOLE_BASE_PATH", {
    about: "path under which a proxy shows the console, such as /console/",
    readers: ["console"],
    fallback: "/",
  }),
  consoleOrigin: origin("STAMPEDE_CONSOLE_ORIGIN", {
    about:
      "where browsers see the console, such as https://stampede.example.com; behind a proxy it is needed",
    readers: ["console"],
  }),
  consoleProxies: cidrs("STAMPEDE_CONSOLE_PROXIES", {
    about:
      "addresses of the proxies that say who a caller of the console is, commas between; without them a " +
      "one-time link does",
    readers: ["console"],
    more: "With STAMPEDE_CONSOLE_ORIGIN and STAMPEDE_CONSOLE_GROUPS.",
  }),
  consoleUserHeader: fieldName("STAMPEDE_CONSOLE_USER_HEADER", {
    about: "header in which those proxies name the user; from any other address it is ignored",
    readers: ["console"],
    fallback: "x-forwarded-user",
  }),
  consoleGroupsHeader: fieldName("STAMPEDE_CONSOLE_GROUPS_HEADER", {
    about: "header in which they name the user's groups, commas between",
    readers: ["console"],
    fallback: "x-forwarded-groups",
  }),
  consoleGroups: groups("STAMPEDE_CONSOLE_GROUPS", {
    about:
      "which group has which role, commas between: " +
      "`ops=operator,admins=administrator,helpdesk=support:<organisation>`",
    readers: ["console"],
  }),
  consoleTokens: secretList("STAMPEDE_CONSOLE_TOKENS", {
    about: "API tokens of the organisations that the console shows, white space or commas between",
    readers: ["console"],
    without: "with `npm start` the token that it made",
    more:
      "Reading is enough where nothing is to be changed; of two tokens of an organisation it reads " +
      "with the one that may only read.",
  }),
  consolePlatformToken: secretText("STAMPEDE_CONSOLE_PLATFORM_TOKEN", {
    about:
      "the platform's token, for programs and for why a purchase earned nothing; without it they are not shown",
    readers: ["console"],
    without: "with `npm start` the token that it made",
  }),
  consolePublisherUrl: httpUrl("STAMPEDE_CONSOLE_PUBLISHER_URL", {
    about: "where the console finds the publisher API",
    readers: ["console"],
    fallback: "http://127.0.0.1:8080",
  }),
  consolePlatformUrl: httpUrl("STAMPEDE_CONSOLE_PLATFORM_URL", {
    about: "where the console finds the platform",
    readers: ["console"],
    fallback: "http://127.0.0.1:8090",
  }),
  consoleOpsUrls: httpUrls("STAMPEDE_CONSOLE_OPS_URLS", {
    about: "operations endpoints of all processes that the console's live page shows, commas between",
    readers: ["console"],
    without: "with `npm start` its own",
  }),
  consoleOperatorNatsUrl: serverUrl("STAMPEDE_CONSOLE_OPERATOR_NATS_URL", {
    about:
      "NATS with the operator's user: with it dead letters can be put back and discarded from the console",
    readers: ["console"],
    without: "with `npm start` its own",
    protocols: ["nats:", "tls:"],
  }),
  consoleAuditRetentionDays: integer("STAMPEDE_CONSOLE_AUDIT_RETENTION_DAYS", {
    about: "how long lines of the console's audit are kept; ingest removes them, the console's role may not",
    readers: ["ingest"],
    unit: "days",
    fallback: 400,
    min: 1,
    max: 36_500,
  }),
  consoleUrl: httpUrl("STAMPEDE_CONSOLE_URL", {
    about:
      "where the publisher API's start page leads to, the console's address; without it to its reference",
    readers: ["edge"],
    without: "with `npm start` its own",
    fallback: undefined,
  }),
} as const satisfies Record<string, Setting<unknown>>;
