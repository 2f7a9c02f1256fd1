import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "puppeteer-core";

const DOCUMENT = new URL("../../../docs/console.md", import.meta.url);
const FOLDER = fileURLToPath(new URL("../../../docs/pictures/", import.meta.url));

/** `1`: retake the pictures of docs/console.md. The path of a folder: take all pictures, into that folder. */
const wanted = process.env.CONSOLE_PICTURES;
export const makesPictures = wanted !== undefined;

/** Takes the picture if it is wanted: the part of the page in the window, down to the end of the contents. */
export async function takePicture(page: Page, name: string): Promise<void> {
  const file = `console-${name}.png`;
  if (wanted === undefined || (wanted === "1" && !readFileSync(DOCUMENT, "utf8").includes(file))) return;
  const folder = wanted === "1" ? FOLDER : wanted;
  mkdirSync(folder, { recursive: true });
  const bottom = await page.$eval("main > *", (shown) => Math.ceil(shown.getBoundingClientRect().bottom));
  const { width = 0, height = 0 } = page.viewport() ?? {};
  const y = Number(await page.evaluate("scrollY"));
  const clip = { x: 0, y, width, height: Math.min(height, bottom + 24) };
  await page.screenshot({ path: join(folder, file) as `${string}.png`, clip });
}
