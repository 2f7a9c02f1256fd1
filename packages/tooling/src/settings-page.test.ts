import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { SERVICE_NAMES } from "#contract";
import { readSettings } from "#runtime";
import { ROOT } from "./root.ts";
import { settingsPage } from "./settings-page.ts";
import { isTest, readSourceTree } from "./tracked-files.ts";

const page = settingsPage().text;

/** The rows of the page: the variable, and the section that names its readers. */
const sections = new Map(
  page
    .split(/^## /m)
    .slice(1)
    .flatMap((section) =>
      [...section.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(
        ([, key = ""]) => [key, section.slice(0, section.indexOf("\n")).toLowerCase()] as const,
      ),
    ),
);

t.test("settings page - has every setting once, with its default in words", async (t) => {
  t.equal(sections.size, Object.keys(readSettings({})).length);
  t.equal(page.match(/^\| `[A-Z_]+` \|/gm)?.length, sections.size);
  t.match(page, /^\| `STAMPEDE_STREAM_MAX_BYTES` \| `536870912` \(512 MiB\) \| bytes \| /m);
  t.match(page, /^\| `STAMPEDE_HTTP_PORT` \| `8080` \|/m);
  t.match(page, /^\| `STAMPEDE_TRUSTED_PROXIES` \| none \|/m);
});

t.test("settings page - every secret may be in a file, and the page says so of nothing else", async (t) => {
  const [, list = ""] = /These settings are secrets:\n(.*)\.\n/.exec(page) ?? [];
  t.strictSame(
    [...list.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name),
    [
      "DATABASE_URL",
      "NATS_URL",
      "STAMPEDE_PLATFORM_DATABASE_URL",
      "STAMPEDE_CONSOLE_TOKENS",
      "STAMPEDE_CONSOLE_PLATFORM_TOKEN",
      "STAMPEDE_CONSOLE_OPERATOR_NATS_URL",
      "STAMPEDE_ENCRYPTION_KEYS",
    ],
  );
});

/** The sources of a service, without its tests. */
function sourcesOf(service: string): string {
  const folder = join(ROOT, "services", service, "src");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(".ts") && !/(?:^|\/)test-|\.test\.ts$/.test(file))
    .map((file) => readFileSync(join(folder, file), "utf8"))
    .join("\n");
}

t.test(
  "settings page - a setting that a service takes by name is in a section that names the service",
  async (t) => {
    const names = new Map(Object.entries(keysByName()));
    let taken = 0;
    for (const service of SERVICE_NAMES) {
      // `settings.webhookSlots`, and `const { webhookSlots } = settings`.
      const source = sourcesOf(service);
      const fields = [
        ...[...source.matchAll(/\bsettings\.(\w+)/g)].map(([, field = ""]) => field),
        ...[...source.matchAll(/\{([^{}]*)\} = (?:context\.)?settings\b/g)].flatMap(([, list = ""]) =>
          [...list.matchAll(/\w+/g)].map(([field]) => field),
        ),
      ];
      for (const field of new Set(fields)) {
        const key = names.get(field);
        if (key === undefined) continue;
        taken++;
        const section = sections.get(key) ?? "";
        t.ok(section === "every service" || section.includes(service), `${key} in ${service}: "${section}"`);
      }
    }
    t.ok(taken > 10, "it found some");
  },
);

t.test("settings page - every setting is read by some source", async (t) => {
  const sources = [...readSourceTree(ROOT)]
    .filter(([path]) => /^(?:packages|services)\//.test(path) && !isTest(path))
    .filter(([path]) => !/^packages\/runtime\/src\/(?!read-)[\w-]*settings\.ts$/.test(path))
    .map(([, text]) => text)
    .join("\n");
  for (const field of Object.keys(readSettings({}))) {
    t.ok(new RegExp(`\\b${field}\\b`).test(sources), `${field} is read`);
  }
});

/** The name in the environment of each field of the settings. */
function keysByName(): Record<string, string> {
  const source = readFileSync(join(ROOT, "packages/runtime/src/settings/settings.ts"), "utf8");
  return Object.fromEntries(
    [...source.matchAll(/^ {2}(\w+): \w+\("([A-Z_]+)"/gm)].map(([, field = "", key = ""]) => [field, key]),
  );
}
