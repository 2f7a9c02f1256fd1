import { type MemberNode, parse, type ValueNode } from "@humanwhocodes/momoa";
import { CommandError } from "../command-error.ts";

/** A value of a JSON file with its place. Each method throws a CommandError, such as `map.json:3:7: amount.scale must be …`. */
export class LocatedJson {
  readonly #file: string;
  readonly #path: string;
  readonly #node: ValueNode;

  private constructor(file: string, path: string, node: ValueNode) {
    this.#file = file;
    this.#path = path;
    this.#node = node;
  }

  static parse(file: string, text: string): LocatedJson {
    try {
      return new LocatedJson(file, "", parse(text).body);
    } catch (error) {
      const { message, line, column } = error as Error & { line?: number; column?: number };
      const reason = message.replace(/ \(\d+:\d+\)$/, "").replace(/\.$/, "");
      throw new CommandError(`${file}:${line ?? 1}:${column ?? 1}: is not JSON: ${reason}`);
    }
  }

  /** `map.json:3:7` */
  get place(): string {
    const { line, column } = this.#node.loc.start;
    return `${this.#file}:${line}:${column}`;
  }

  /** An error about this value; `message` completes "<path> …". */
  fault(message: string): CommandError {
    return new CommandError(`${this.place}: ${this.#path === "" ? "it" : this.#path} ${message}`);
  }

  /** The members of an object, by name and in order. A name that occurs twice is an error. */
  members(): Map<string, LocatedJson> {
    if (this.#node.type !== "Object") throw this.fault("must be an object");
    const members = new Map<string, LocatedJson>();
    for (const member of this.#node.members) {
      const name = nameOf(member);
      const path = this.#path === "" ? name : `${this.#path}.${name}`;
      if (members.has(name))
        throw new LocatedJson(this.#file, path, member.name as ValueNode).fault("is there twice");
      members.set(name, new LocatedJson(this.#file, path, member.value));
    }
    return members;
  }

  /** The members of an object that may have these names and no others. */
  known<N extends string>(names: readonly N[]): Partial<Record<N, LocatedJson>> {
    const members = this.members();
    for (const [name, value] of members) {
      if (!(names as readonly string[]).includes(name)) {
        throw value.fault(`is not known: there are ${names.join(", ")}`);
      }
    }
    return Object.fromEntries(members) as Partial<Record<N, LocatedJson>>;
  }

  items(): LocatedJson[] {
    if (this.#node.type !== "Array") throw this.fault("must be a list");
    return this.#node.elements.map(
      ({ value }, i) => new LocatedJson(this.#file, `${this.#path}[${i}]`, value),
    );
  }

  get isList(): boolean {
    return this.#node.type === "Array";
  }

  get isObject(): boolean {
    return this.#node.type === "Object";
  }

  get isNull(): boolean {
    return this.#node.type === "Null";
  }

  /** Text that is not empty. */
  text(): string {
    if (this.#node.type === "String" && this.#node.value !== "") return this.#node.value;
    throw this.fault("must be text");
  }

  /** One of these texts. */
  choice<C extends string>(choices: readonly C[]): C {
    const text = this.text();
    if ((choices as readonly string[]).includes(text)) return text as C;
    throw this.fault(`must be one of ${choices.map((choice) => `"${choice}"`).join(", ")}`);
  }

  integer(minimum: number, maximum: number): number {
    const value = this.#node.type === "Number" ? this.#node.value : Number.NaN;
    if (Number.isInteger(value) && value >= minimum && value <= maximum) return value;
    throw this.fault(`must be a whole number from ${minimum} to ${maximum}`);
  }

  /** A text or a number, as text. */
  scalar(): string {
    if (this.#node.type === "String" || this.#node.type === "Number") return String(this.#node.value);
    throw this.fault("must be text or a number");
  }

  boolean(): boolean {
    if (this.#node.type === "Boolean") return this.#node.value;
    throw this.fault("must be true or false");
  }
}

function nameOf({ name }: MemberNode): string {
  return name.type === "String" ? name.value : name.name;
}
