import { type ParseArgsConfig, parseArgs } from "node:util";

/** The effect of an option; `sets` one of the sizes, `only` narrows one of the choices. */
type Given<Sizes, Choices> =
  | { readonly sets: keyof Sizes & string; readonly help: string }
  | { readonly only: keyof Choices & string; readonly what?: string; readonly help: string };

type SizeTable = Readonly<Record<string, readonly [whole: number, quick: number]>>;
type ChoiceTable = Readonly<Record<string, readonly (string | number)[]>>;

/** The options of a benchmark: one table for parsing the arguments and printing the help. */
interface OptionTable<Sizes extends SizeTable, Choices extends ChoiceTable, Derived extends object> {
  /** The prefix of the mode in its records. */
  readonly name: string;
  /** The command after `npm run bench --`; absent: the name. */
  readonly command?: string;
  /** The benchmark without options, and its duration. */
  readonly whole: string;
  readonly quick: string;
  /** The sizes of a run, for the whole benchmark and for `--quick`. */
  readonly sizes: Sizes;
  /** The measured parts: all of them, unless narrowed. */
  readonly choices: Choices;
  readonly options: Readonly<Record<string, Given<Sizes, Choices>>>;
  /** The files that `--profile` writes; absent: there is no such option. */
  readonly profile?: string;
  /** Switches of this benchmark alone. */
  readonly flags?: Readonly<Record<string, string>>;
  /** More lines of the help, after the first. */
  readonly also?: string;
  /** Checks the arguments, and derives further values. @throws Error that names the fault */
  derive?(read: Read<Sizes, Choices>): Derived;
}

export interface CommonOptions {
  /** The name of the benchmark if all of it is measured unchanged; only then can records be compared. */
  readonly mode: string;
  readonly kind: "whole" | "quick" | "partial";
  /** The folders for the results and for the servers' data; undefined: see bench/README.md. */
  readonly resultsDir: string | undefined;
  readonly dir: string | undefined;
  readonly profileDir: string | undefined;
  /** Names of the options that were given, flags included. */
  readonly given: ReadonlySet<string>;
}
type Read<Sizes, Choices> = CommonOptions & { readonly [Size in keyof Sizes]: number } & {
  readonly [Choice in keyof Choices]: Choices[Choice] extends readonly (infer One)[] ? readonly One[] : never;
};

/** The parsed arguments of a table. */
export type OptionsOf<Reader> = Reader extends { read(args: readonly string[]): infer Options | "help" }
  ? Exclude<Options, "help">
  : never;

export interface OptionReader<Options> {
  readonly usage: string;
  /** @throws Error that names the fault of the arguments */
  read(args: readonly string[]): Options | "help";
}

export function optionsOf<
  const Sizes extends SizeTable,
  const Choices extends ChoiceTable,
  Derived extends object = object,
>(
  table: OptionTable<Sizes, Choices, Derived>,
): OptionReader<Omit<Read<Sizes, Choices>, keyof Derived> & Derived> {
  type Options = Omit<Read<Sizes, Choices>, keyof Derived> & Derived;
  return {
    usage: usageOf(table),
    read(args) {
      const { values } = parseArgs({ args: [...args], options: formsOf(table) });
      if (values.help) return "help";
      const read = readValues(table, values as Values) as unknown as Read<Sizes, Choices>;
      return { ...read, ...table.derive?.(read) } as unknown as Options;
    },
  };
}

/** For any benchmark; only the code above uses the table's own key types. */
type AnyTable = Omit<OptionTable<SizeTable, ChoiceTable, object>, "derive">;
type Values = Readonly<Record<string, string | string[] | boolean | undefined>>;

function formsOf(table: AnyTable): NonNullable<ParseArgsConfig["options"]> {
  const forms: NonNullable<ParseArgsConfig["options"]> = {
    help: { type: "boolean", short: "h" },
    quick: { type: "boolean" },
    results: { type: "string" },
    dir: { type: "string" },
  };
  if (table.profile !== undefined) forms.profile = { type: "string" };
  for (const name of Object.keys(table.flags ?? {})) forms[name] = { type: "boolean" };
  for (const [name, one] of Object.entries(table.options))
    forms[name] = { type: "string", multiple: "only" in one };
  return forms;
}

function readValues(table: AnyTable, values: Values): Record<string, unknown> {
  const given = new Set(Object.keys(values));
  const narrowing = [...Object.keys(table.options), "profile"];
  const isPartial = narrowing.some((name) => given.has(name));
  const kind = values.quick ? "quick" : isPartial ? "partial" : "whole";
  const read: Record<string, unknown> = {
    mode: kind === "whole" ? table.name : `${table.name}-${kind}`,
    kind,
    given,
    resultsDir: values.results,
    dir: values.dir,
    profileDir: values.profile,
    ...table.choices,
  };
  for (const [size, [whole, quick]] of Object.entries(table.sizes)) read[size] = values.quick ? quick : whole;
  for (const [name, one] of Object.entries(table.options)) {
    const value = values[name];
    if (value === undefined) continue;
    if ("sets" in one) read[one.sets] = count(`--${name}`, value as string);
    else read[one.only] = known(`--${name}`, value as string[], table.choices[one.only] ?? []);
  }
  return read;
}

/** Each value must be one of the known ones; if those are numbers, any number is valid. */
function known(name: string, given: readonly string[], values: readonly (string | number)[]) {
  return given.map((text) => {
    if (typeof values[0] === "number") return count(name, text);
    if (!values.includes(text)) throw new Error(`${name} is one of ${values.join(", ")}, not ${text}`);
    return text;
  });
}

/** A whole number above 0. */
function count(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new Error(`${name} is a whole number above 0, not ${text}`);
  return value;
}

function usageOf(table: AnyTable): string {
  const line = (what: string, help: string) => `  ${what.padEnd(22)} ${help}`.trimEnd();
  const own = Object.entries(table.options).map(([name, one]) =>
    "sets" in one
      ? line(`--${name} N`, one.help)
      : line(`--${name} ${one.what ?? "NAME"}`, orList(one.help, table.choices[one.only] ?? [])),
  );
  return [
    `npm run bench -- ${table.command ?? `${table.name} `}[options]`,
    ...(table.also === undefined ? [] : [table.also]),
    "",
    line("(none)", table.whole),
    line("--quick", table.quick),
    ...Object.entries(table.flags ?? {}).map(([name, help]) => line(`--${name}`, help)),
    "",
    ...own,
    ...(table.profile === undefined ? [] : [line("--profile DIR", table.profile)]),
    line("--results DIR", "where the line, and the drawing if there is one, go"),
    line("--dir DIR", "where PostgreSQL and NATS keep their data (a disk, not tmpfs)"),
    "",
  ].join("\n");
}

/** `only a, b or c; repeatable`, or the help's text about numbers. */
function orList(help: string, values: readonly (string | number)[]): string {
  if (typeof values[0] === "number") return help;
  return `only ${values.slice(0, -1).join(", ")} or ${values.at(-1)}; ${help}`;
}
