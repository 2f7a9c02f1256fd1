import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "puppeteer-core";

const SOURCE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: ReadonlyArray<{ readonly html: string }>;
}

/** All rules of axe-core, including the best practices. @returns the faults, in words */
export async function faultsByAxe(page: Page): Promise<string[]> {
  // Loaded through the browser's debugger: the page's policy lets in no script but its own.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(`(() => { ${SOURCE} })()`);
  const violations = (await page.evaluate(
    `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
      violations.map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map(({ html }) => ({ html })) })))`,
  )) as Violation[];
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 200)}`),
  );
}
