import type { PanelSpec, RowSpec } from "./dashboard-table.ts";

const PAGE_WIDTH = 24;
const TITLE_HEIGHT = 1;
const LINES_HEIGHT = 8;
const STAT_HEIGHT = 4;
/** With more than these side by side, panels become unreadable. */
const MAX_IN_A_LINE = 4;
const MAX_STATS_IN_A_LINE = 8;

interface Place {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

interface PlacedRow {
  readonly title: string;
  readonly y: number;
  readonly panels: ReadonlyArray<{ readonly panel: PanelSpec; readonly place: Place }>;
}

/**
 * Rows one below the other, with the panels of each from left to right and then on the next line. Nothing
 * overlaps.
 */
export function placeRows(rows: readonly RowSpec[]): PlacedRow[] {
  let y = 0;
  return rows.map(({ title, panels }) => {
    const placed: PlacedRow = { title, y, panels: placePanels(panels, y + TITLE_HEIGHT) };
    y = Math.max(y + TITLE_HEIGHT, ...placed.panels.map(({ place }) => place.y + place.h));
    return placed;
  });
}

function placePanels(panels: readonly PanelSpec[], top: number): PlacedRow["panels"] {
  let x = 0;
  let y = top;
  let lineHeight = 0;
  return panels.map((panel) => {
    const h = panel.kind === "stat" ? STAT_HEIGHT : LINES_HEIGHT;
    const w = panel.width ?? evenWidth(panels);
    if (x + w > PAGE_WIDTH) {
      x = 0;
      y += lineHeight;
      lineHeight = 0;
    }
    const place = { x, y, w, h };
    x += w;
    lineHeight = Math.max(lineHeight, h);
    return { panel, place };
  });
}

/** For panels that share their row: as many to a line as can be read, all lines alike. */
function evenWidth(panels: readonly PanelSpec[]): number {
  const most = panels.every(({ kind }) => kind === "stat") ? MAX_STATS_IN_A_LINE : MAX_IN_A_LINE;
  const lines = Math.ceil(panels.length / most);
  return Math.floor(PAGE_WIDTH / Math.ceil(panels.length / lines));
}
