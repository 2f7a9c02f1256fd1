import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { DEPLOY } from "./deploy-folder.ts";

export const CHART = join(DEPLOY, "helm/stampede");

/** Whether the real one is on this machine. It is in no package of ours, so CI may have none. */
export const hasHelm = spawnSync("helm", ["version"], { env: helmEnvironment() }).status === 0;

/** No configuration of this machine: nothing is sent anywhere. */
export function helmEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, KUBECONFIG: "/dev/null", HOME: "/nonexistent" };
}

interface Scope {
  readonly Values: object;
  readonly Chart: { readonly AppVersion: string };
  readonly Release: { readonly Revision: number; readonly Namespace: string };
}

/** All templates of the chart by their names, as `helm template` would write them. */
export function renderChart(changes: object): Map<string, string> {
  const { appVersion } = parse(read("Chart.yaml")) as { appVersion: string };
  const scope: Scope = {
    Values: merge(parse(read("values.yaml")) as object, changes),
    Chart: { AppVersion: appVersion },
    Release: { Revision: 1, Namespace: "stampede" },
  };
  const names = readdirSync(join(CHART, "templates"));
  return new Map(names.map((name) => [name, renderTemplate(read(join("templates", name)), scope)]));
}

function read(path: string): string {
  return readFileSync(join(CHART, path), "utf8");
}

function merge(values: object, changes: object): object {
  const merged: Record<string, unknown> = { ...values };
  for (const [key, value] of Object.entries(changes)) {
    const before = merged[key];
    const isMap = typeof before === "object" && before !== null && typeof value === "object";
    merged[key] = isMap ? merge(before, value as object) : value;
  }
  return merged;
}

/**
 * The part of Go's templates that the chart is written in: if, range over a map, and the functions below. Anything else is
 * an error, so that the chart cannot outgrow it without a word.
 */
export function renderTemplate(text: string, scope: Scope): string {
  // `{{-` and `-}}` take the white space beside them away.
  const tokens = text
    .replaceAll(/\s*\{\{- /g, "{{")
    .replaceAll(/ -\}\}\s*/g, "}}")
    .split(/(\{\{.*?\}\})/);
  const [rendered, rest] = renderBlock(tokens, 0, scope, {});
  if (rest < tokens.length) throw new Error("an end too much");
  return rendered;
}

type Variables = Readonly<Record<string, unknown>>;

/** @returns the text up to the block's end, and the number of the token behind it */
function renderBlock(
  tokens: readonly string[],
  from: number,
  scope: Scope,
  variables: Variables,
): [string, number] {
  let text = "";
  for (let at = from; at < tokens.length; at++) {
    const token = tokens[at] as string;
    const action = /^\{\{\s*(.*?)\s*\}\}$/.exec(token)?.[1];
    if (action === undefined) {
      text += token;
    } else if (action === "end") {
      return [text, at + 1];
    } else if (action.startsWith("if ")) {
      const [inner, behind] = renderBlock(tokens, at + 1, scope, variables);
      if (truthOf(action.slice(3), scope, variables)) text += inner;
      at = behind - 1;
    } else if (action.startsWith("range ")) {
      const [, key = "", value = "", of = ""] = /^range (\$\w+), (\$\w+) := (\S+)$/.exec(action) ?? [];
      let behind = at + 1;
      for (const [name, one] of Object.entries(evaluate(of, scope, variables) as object).sort()) {
        const [inner, end] = renderBlock(tokens, at + 1, scope, { ...variables, [key]: name, [value]: one });
        text += inner;
        behind = end;
      }
      at = behind - 1;
    } else {
      text += String(evaluate(action, scope, variables));
    }
  }
  return [text, tokens.length];
}

function truthOf(condition: string, scope: Scope, variables: Variables): boolean {
  const [, negated, rest = ""] = /^(not )?(.*)$/.exec(condition) ?? [];
  return Boolean(evaluate(rest, scope, variables)) === (negated === undefined);
}

function evaluate(expression: string, scope: Scope, variables: Variables): unknown {
  const [first = "", ...pipes] = expression.split(" | ");
  return pipes.reduce((value: unknown, pipe) => call(pipe, [value]), call1(first, scope, variables));
}

/** A value, or a function with its arguments; in parentheses another. */
function call1(expression: string, scope: Scope, variables: Variables): unknown {
  const words = expression.match(/\([^)]*\)|"[^"]*"|\S+/g) ?? [];
  const values = words.map((word) => resolved(word, scope, variables));
  const [head = ""] = words;
  return words.length === 1 ? values[0] : call(head, values.slice(1));
}

function resolved(word: string, scope: Scope, variables: Variables): unknown {
  if (word.startsWith("(")) return evaluate(word.slice(1, -1), scope, variables);
  if (word.startsWith('"')) return JSON.parse(word);
  if (word.startsWith("$")) return variables[word];
  if (!word.startsWith(".")) return undefined;
  if (word === ".Files.Get") return undefined;
  let value: unknown = scope;
  for (const name of word.slice(1).split(".")) {
    value = (value as Record<string, unknown> | undefined)?.[name];
  }
  if (value === undefined) throw new Error(`there is no ${word}`);
  return value;
}

function call(name: string, given: readonly unknown[]): unknown {
  const [one, other, third] = given;
  switch (name) {
    case "quote":
      return JSON.stringify(String(one));
    case "toJson":
      return JSON.stringify(one);
    case "default":
      return other === "" || other === undefined ? one : other;
    case "printf":
      return String(one).replace("%s", String(other)).replace("%s", String(third));
    case ".Files.Get":
      return read(String(one));
    default:
      throw new Error(`the chart calls ${name}, which is not known here`);
  }
}
