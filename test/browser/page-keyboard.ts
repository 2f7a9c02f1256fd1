import type { Page } from "puppeteer-core";
import { isGone } from "./console-visit.ts";

/** A date field has a stop for each of its parts. */
const STOPS_PER_CONTROL = 8;
const SPARE_STOPS = 40;

/**
 * Goes through the whole page with the Tab key, from the first control until it is back there.
 * @returns the faults, in words: a control that it never reached, a stop that is not visible, a step back
 */
export async function faultsOfTabbing(page: Page): Promise<string[]> {
  const count = (await page.evaluate(`(${watchStops})()`)) as number;
  for (let stops = 0; stops < count * STOPS_PER_CONTROL + SPARE_STOPS; stops++) {
    await page.keyboard.press("Tab");
    // Asked only now and then: each question takes as long as many steps.
    if (stops % 10 === 9 && (await page.evaluate("document.stops.isRound"))) break;
  }
  return (await page.evaluate(`(${judgeStops})()`)) as string[];
}

/**
 * Opens a dialog from the button with these words by the keyboard alone, goes round in it, and leaves it with
 * Escape.
 * @param look finds faults while it is open
 * @returns the faults, in words
 */
export async function faultsOfDialog(
  page: Page,
  words: string,
  look: () => Promise<readonly string[]>,
): Promise<string[]> {
  const opener = await page.waitForSelector(
    `main ::-p-xpath(.//button[normalize-space()=${JSON.stringify(words)}])`,
  );
  await opener?.focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector("dialog[open]");
  const faults: string[] = [];
  const place = () =>
    page.evaluate(`(() => {
      const { activeElement: at, body } = document;
      const dialog = document.querySelector("dialog[open]");
      return at === body ? "nowhere" : dialog.contains(at) ? "inside" : at.outerHTML.slice(0, 80);
    })()`);
  if ((await place()) !== "inside") faults.push(`${words}: the focus does not go into the dialog`);
  faults.push(...(await look()));
  const controls = await page.$$("dialog[open] :is(button, input, textarea, select)");
  for (const keys of [["Tab"], ["Shift", "Tab"]] as const) {
    for (let i = 0; i < controls.length + 2; i++) {
      await chord(page, keys);
      const at = await place();
      if (at !== "inside" && at !== "nowhere") faults.push(`${words}: ${keys.join("+")} leaves it for ${at}`);
    }
  }
  await page.keyboard.press("Escape");
  await isGone(page, "dialog[open]");
  if (!(await opener?.evaluate((button) => button.matches(":focus"))))
    faults.push(`${words}: the focus is not back at the button`);
  return faults;
}

async function chord(page: Page, keys: readonly ("Shift" | "Tab")[]): Promise<void> {
  for (const key of keys) await page.keyboard.down(key);
  for (const key of keys) await page.keyboard.up(key);
}

// All below runs in the page, and knows its DOM, for which this project has no types.
// biome-ignore lint/suspicious/noExplicitAny: the DOM
type Dom = any;
declare const document: Dom;
declare const innerHeight: number;
declare const innerWidth: number;
declare const getComputedStyle: Dom;

/** Notes the focus after every Tab, beginning at the first control. @returns how many controls there are */
function watchStops(): number {
  const canBeReached = (element: Dom) => {
    const { width, height } = element.getBoundingClientRect();
    const isThere = width > 1 && height > 1 && element.checkVisibility({ visibilityProperty: true });
    // In a group of radio buttons only the chosen one is a stop; the arrow keys go on from there.
    const isOther = element.type === "radio" && !element.checked;
    return isThere && !element.matches(":disabled") && !isOther;
  };
  const selector = "a[href], button, input, select, textarea, summary, [tabindex]:not(main)";
  const controls = [...document.querySelectorAll(selector)].filter(canBeReached);
  const visited: Dom[] = [controls[0]];
  const unseen: Dom[] = [];
  const stops = { controls, visited, unseen, isRound: false };
  document.stops = stops;
  const note = ({ key }: { key: string }) => {
    const at = document.activeElement;
    if (key !== "Tab" || stops.isRound || at === visited.at(-1)) return;
    // Behind the last stop comes the browser's own window, which a test lacks, and then the first stop.
    stops.isRound = at === document.body || at === controls[0];
    if (at === document.body) return;
    visited.push(at);
    const { outlineStyle, outlineWidth } = getComputedStyle(at);
    const { top, bottom, left, right } = at.getBoundingClientRect();
    const isInView = top < innerHeight && bottom > 0 && left < innerWidth && right > 0;
    if (outlineStyle === "none" || outlineWidth === "0px" || !isInView) unseen.push(at);
  };
  document.addEventListener("keyup", note);
  controls[0].focus();
  return controls.length;
}

function judgeStops(): string[] {
  const { controls, visited, unseen, isRound } = document.stops;
  const name = (element: Dom) =>
    `${element.localName} “${(element.innerText || element.id || element.className).trim().slice(0, 40)}”`;
  // A part that the keys scroll is a stop too, but no control. The first control may come at the end again.
  const order: number[] = visited.map((at: Dom) => controls.indexOf(at)).filter((i: number) => i >= 0);
  if (order.length > 1 && order.at(-1) === 0) order.pop();
  const missed = controls.filter((control: Dom) => !visited.includes(control) && control.isConnected);
  return [
    ...(isRound ? [] : ["Tab does not come back to the beginning"]),
    ...missed.map((control: Dom) => `Tab does not come to ${name(control)}`),
    ...unseen.map((at: Dom) => `one does not see that the focus is at ${name(at)}`),
    ...order.flatMap((at, i) => (at < (order[i - 1] ?? 0) ? [`Tab goes back to ${name(controls[at])}`] : [])),
  ];
}
