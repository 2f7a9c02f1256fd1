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

/** The settings of the console: a part of the table `SETTINGS`. */
export const CONSOLE_SETTINGS = {
  consoleHost: text("STAMPEDE_CONSOLE_HOST", {
    about: "console, address; any but loopback needs the proxies of STAMPEDE_CONSOLE_PROXIES",
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
    about: "origin of the console in browsers, such as https://stampede.example.com; required behind a proxy",
    readers: ["console"],
  }),
  consoleProxies: cidrs("STAMPEDE_CONSOLE_PROXIES", {
    about:
      "addresses of the proxies that identify the console's users, separated by commas; without them one-time links let users in",
    readers: ["console"],
    more: "Needs STAMPEDE_CONSOLE_ORIGIN and STAMPEDE_CONSOLE_GROUPS.",
  }),
  consoleUserHeader: fieldName("STAMPEDE_CONSOLE_USER_HEADER", {
    about: "header in which these proxies name the user; ignored from any other address",
    readers: ["console"],
    fallback: "x-forwarded-user",
  }),
  consoleGroupsHeader: fieldName("STAMPEDE_CONSOLE_GROUPS_HEADER", {
    about: "header in which they name the user's groups, separated by commas",
    readers: ["console"],
    fallback: "x-forwarded-groups",
  }),
  consoleGroups: groups("STAMPEDE_CONSOLE_GROUPS", {
    about:
      "role of each group, separated by commas: " +
      "`ops=operator,admins=administrator,helpdesk=support:<organisation>`",
    readers: ["console"],
  }),
  consoleTokens: secretList("STAMPEDE_CONSOLE_TOKENS", {
    about: "API tokens of the organisations that the console shows, separated by white space or commas",
    readers: ["console"],
    without: "with `npm start` the token that it made",
    more: "Read access is enough if the console is to change nothing. If an organisation has a read token and a write token, the console reads with the read token.",
  }),
  consolePlatformToken: secretText("STAMPEDE_CONSOLE_PLATFORM_TOKEN", {
    about:
      "the platform's token; without it the console shows neither programs nor why a purchase earned nothing",
    readers: ["console"],
    without: "with `npm start` the token that it made",
  }),
  consolePublisherUrl: httpUrl("STAMPEDE_CONSOLE_PUBLISHER_URL", {
    about: "URL of the publisher API, for the console",
    readers: ["console"],
    fallback: "http://127.0.0.1:8080",
  }),
  consolePlatformUrl: httpUrl("STAMPEDE_CONSOLE_PLATFORM_URL", {
    about: "URL of the platform, for the console",
    readers: ["console"],
    fallback: "http://127.0.0.1:8090",
  }),
  consoleOpsUrls: httpUrls("STAMPEDE_CONSOLE_OPS_URLS", {
    about: "operations endpoints of all processes for the console's live page, separated by commas",
    readers: ["console"],
    without: "with `npm start` its own",
  }),
  consoleOperatorNatsUrl: serverUrl("STAMPEDE_CONSOLE_OPERATOR_NATS_URL", {
    about: "NATS with the operator's user; with it the console can put dead letters back and discard them",
    readers: ["console"],
    without: "with `npm start` its own",
    protocols: ["nats:", "tls:"],
  }),
  consoleAuditRetentionDays: integer("STAMPEDE_CONSOLE_AUDIT_RETENTION_DAYS", {
    about:
      "days for which lines of the console's audit are kept; ingest removes older ones, since the console's role may not",
    readers: ["ingest"],
    unit: "days",
    fallback: 400,
    min: 1,
    max: 36_500,
  }),
  consoleUrl: httpUrl("STAMPEDE_CONSOLE_URL", {
    about:
      "URL of the console; the publisher API's start page leads there, or without this setting to the API reference",
    readers: ["edge"],
    without: "with `npm start` its own",
    fallback: undefined,
  }),
} as const satisfies Record<string, Setting<unknown>>;
