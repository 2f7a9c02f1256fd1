import type { GeneratedFile } from "../root.ts";
import { dashboardFile, dashboardPath } from "./render-dashboard.ts";

/** The runbooks, from the root of the checkout. */
export const RUNBOOKS_FILE = "docs/operations/runbooks.md";

interface Runbook {
  readonly alert: string;
  readonly text: string;
}

/** The sections of the runbooks, in their order, and the text before the first. */
export function readRunbooks(markdown: string): { introduction: string; runbooks: Runbook[] } {
  const [introduction = "", ...sections] = markdown.split(/^## /m);
  const runbooks = sections.map((section) => {
    const end = section.indexOf("\n");
    return { alert: section.slice(0, end).trim(), text: section.slice(end).trim() };
  });
  return { introduction: introduction.replace(/^# .*\n/, "").trim(), runbooks };
}

/** The address of an alert's runbook within Grafana. @throws Error if there is none */
export function runbookPaths(runbooks: readonly Runbook[]): (alert: string) => string {
  return (alert) => {
    const index = runbooks.findIndex((runbook) => runbook.alert === alert);
    if (index < 0) throw new Error(`${RUNBOOKS_FILE} has no section ${alert}`);
    return `${dashboardPath("runbooks")}?viewPanel=${panelId(index)}`;
  };
}

/**
 * The runbooks as a dashboard: an operator on call has Grafana open, and may not have the checkout. Each is a
 * panel that can be linked to.
 */
export function runbooksDashboard(markdown: string): GeneratedFile {
  const { introduction, runbooks } = readRunbooks(markdown);
  const pathOf = runbookPaths(runbooks);
  const alertOf = new Map(runbooks.map(({ alert }) => [alert.toLowerCase(), alert]));
  const inGrafana = (text: string) =>
    // The marks of commands are for the gate that reads them.
    text
      .replace(/^ *<!--.*-->\n/gm, "")
      .replace(/\]\(#(\w+)\)/g, (_, anchor: string) => `](${pathOf(alertOf.get(anchor) ?? anchor)})`);
  const panel = (id: number, title: string, text: string) => ({
    type: "text",
    transparent: false,
    repeatDirection: "h",
    options: { mode: "markdown", content: inGrafana(text) },
    id,
    title,
    gridPos: { x: 0, y: (id - 1) * HEIGHT, w: 24, h: HEIGHT },
  });
  const contents = runbooks.map(({ alert }) => `[${alert}](${pathOf(alert)})`).join(" · ");
  return dashboardFile("runbooks", {
    title: "Runbooks",
    description: `One panel for each alert. Made from ${RUNBOOKS_FILE}.`,
    graphTooltip: 0,
    templating: {},
    panels: [
      panel(1, "Before anything else", `${contents}\n\n${introduction}`),
      ...runbooks.map(({ alert, text }, i) => panel(panelId(i), alert, text)),
    ],
  });
}

const HEIGHT = 16;
/** Panel 1 is the introduction. */
const panelId = (index: number) => index + 2;
