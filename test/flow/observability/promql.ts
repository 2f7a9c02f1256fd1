import { parser } from "@prometheus-io/lezer-promql";

type SyntaxNode = ReturnType<typeof parser.parse>["topNode"];

/** A metric that a query asks for. */
export interface Selector {
  readonly metric: string;
  readonly matchers: ReadonlyArray<{ readonly label: string; readonly op: string; readonly value: string }>;
}

export interface Query {
  readonly selectors: readonly Selector[];
  /** Labels of `by`, `on` and the like. */
  readonly groupings: readonly string[];
}

/** Grafana's values for its variables, with a window as short as a test needs. */
export function fillVariables(expr: string, window = "5s"): string {
  return expr.replaceAll("$__rate_interval", window).replace(/"\$(instance|service)"/g, '".+"');
}

/** Reads a query by Prometheus' own grammar. @throws Error if it is not a query */
export function readQuery(expr: string): Query {
  const selectors: Selector[] = [];
  const groupings: string[] = [];
  const textOf = ({ from, to }: { from: number; to: number }) => expr.slice(from, to);
  parser.parse(expr).iterate({
    enter: ({ type, name, from, node }) => {
      if (type.isError) throw new Error(`not PromQL at character ${from}: ${expr}`);
      if (name === "VectorSelector") selectors.push(readSelector(node, textOf));
      if (name === "GroupingLabels") {
        groupings.push(...node.getChildren("LabelName").map(textOf));
      }
    },
  });
  return { selectors, groupings };
}

function readSelector(node: SyntaxNode, textOf: (node: SyntaxNode) => string): Selector {
  const metric = node.getChild("Identifier");
  if (metric === null) throw new Error(`a selector without a metric: ${textOf(node)}`);
  const list = node.getChild("LabelMatchers")?.getChildren("UnquotedLabelMatcher") ?? [];
  const matchers = list.map((matcher) => ({
    label: textOf(matcher.getChild("LabelName") as SyntaxNode),
    op: textOf(matcher.getChild("MatchOp") as SyntaxNode),
    value: JSON.parse(textOf(matcher.getChild("StringLiteral") as SyntaxNode)) as string,
  }));
  return { metric: textOf(metric), matchers };
}
