import { SERVICE_NAMES } from "#contract";
import { declaredSettings } from "#runtime";
import type { GeneratedFile } from "./root.ts";

export const SETTINGS_FILE = "docs/settings.md";

type Declared = ReturnType<typeof declaredSettings>[number];

const MIB = 2 ** 20;
const GIB = 2 ** 30;

/** docs/settings.md: every environment variable, grouped by its readers. */
export function settingsPage(): GeneratedFile {
  const settings = declaredSettings();
  const groups = new Map<string, Declared[]>();
  for (const setting of settings) {
    const title = titleOf(setting);
    groups.set(title, [...(groups.get(title) ?? []), setting]);
  }
  const tables = [...groups].map(([title, group]) => `## ${title}\n\n${tableOf(group)}\n`);
  return { file: SETTINGS_FILE, text: [introduction(settings), ...tables, END].join("\n") };
}

function introduction(settings: readonly Declared[]): string {
  const secrets = settings.filter(({ secret }) => secret).map(({ key }) => `\`${key}\``);
  return `# Settings

<!-- Made by \`npm run generate\` from \`packages/runtime/src/settings/settings.ts\`. -->

All settings are environment variables. \`npm start\` needs none. A wrong value or a misspelt \`STAMPEDE_…\` stops the start with a line that says
what to do. \`stampede config\` shows each value and where it comes from; \`stampede config --check\` checks an environment before a deployment. An
empty variable counts as absent.

A secret may be in a file: append \`_FILE\` to the setting's name and give the file's path
(\`DATABASE_URL_FILE=/run/secrets/database-url\`). These settings are secrets:
${secrets.join(", ")}.
`;
}

const END = `## Tracing

The standard \`OTEL_…\` variables turn on [traces](operations/tracing.md); without them there are none.
`;

/** A section for each set of readers, named for them. */
function titleOf({ readers }: Declared): string {
  if (SERVICE_NAMES.every((name) => readers.includes(name))) return "Every service";
  if (readers.includes("npm start")) return "`npm start`";
  const title = listed(readers);
  return title.charAt(0).toUpperCase() + title.slice(1);
}

/** `a`, `a and b`, `a, b and c`. */
function listed(names: readonly string[]): string {
  const [last = "", ...others] = [...names].reverse();
  return others.length === 0 ? last : `${others.reverse().join(", ")} and ${last}`;
}

function tableOf(settings: readonly Declared[]): string {
  const rows = settings.map((setting) => {
    const { key, about, more, unit = "" } = setting;
    const what = more === undefined ? about : `${about}. ${more}`;
    return `| \`${key}\` | ${defaultOf(setting)} | ${unit} | ${what} |`;
  });
  return ["| variable | default | unit | what |", "|---|---|---|---|", ...rows].join("\n");
}

/** The value that holds without the variable. */
function defaultOf({ fallback, unit, without }: Declared): string {
  if (without !== undefined) return without;
  if (fallback === undefined || fallback === "" || (Array.isArray(fallback) && fallback.length === 0)) {
    return "none";
  }
  if (unit === "bytes" && typeof fallback === "number") return `\`${fallback}\` (${sizeOf(fallback)})`;
  return `\`${fallback}\``;
}

function sizeOf(bytes: number): string {
  return bytes % GIB === 0 ? `${bytes / GIB} GiB` : `${bytes / MIB} MiB`;
}
