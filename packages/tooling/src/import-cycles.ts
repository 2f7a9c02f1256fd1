/**
 * The cycles of a graph, one for each group of nodes that reach each other (Tarjan's strongly connected
 * components), as the way round from the group's first node back to it. Edges that leave the graph are ignored.
 */
export function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const search = new Search(graph);
  for (const node of graph.keys()) search.visit(node);
  return search.groups.map((group) => wayRound(graph, new Set(group)));
}

class Search {
  readonly groups: string[][] = [];
  readonly #graph: ReadonlyMap<string, readonly string[]>;
  readonly #order = new Map<string, number>();
  readonly #stack: string[] = [];

  constructor(graph: ReadonlyMap<string, readonly string[]>) {
    this.#graph = graph;
  }

  /** The earliest node, by order, that this one leads back to while it is on the stack. */
  visit(node: string): number {
    const known = this.#order.get(node);
    if (known !== undefined) return this.#stack.includes(node) ? known : Number.POSITIVE_INFINITY;
    const order = this.#order.size;
    this.#order.set(node, order);
    this.#stack.push(node);
    const next = this.#graph.get(node) ?? [];
    const earliest = Math.min(order, ...next.filter((to) => this.#graph.has(to)).map((to) => this.visit(to)));
    if (earliest === order) {
      const group = this.#stack.splice(this.#stack.indexOf(node));
      if (group.length > 1 || next.includes(node)) this.groups.push(group);
    }
    return earliest;
  }
}

/** The shortest way from the group's first node, by name, back to it, breadth first. */
function wayRound(graph: ReadonlyMap<string, readonly string[]>, group: ReadonlySet<string>): string[] {
  const start = [...group].sort()[0] as string;
  const ways = [[start]];
  const seen = new Set<string>();
  for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
    for (const next of graph.get(way.at(-1) as string) ?? []) {
      if (next === start) return [...way, start];
      if (!group.has(next) || seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return [...group];
}
