import type { Page } from "puppeteer-core";

/**
 * The rules for every page, in every state: readable text (WCAG 2.2 AA: 1.4.3, and 1.4.11 for the edge of
 * fields) in light and dark, no scrolling sideways (1.4.10) at 200 % and on a phone, a name for each control
 * (4.1.2).
 */

/** At 200 %, 1280 pixels become 640. */
const WIDTHS = { desk: 1280, "200 %": 640, "larger phone": 390, phone: 375 } as const;
const HEIGHT = 800;

/** @returns the faults, in words; empty if all is well. Leaves the page in desktop size and light colours. */
export async function faultsOfLooks(page: Page): Promise<string[]> {
  const faults = [
    ...(await look(page, "anywhere", namelessControls)),
    ...(await look(page, "light", paleParts)),
  ];
  await paint(page, "dark");
  faults.push(...(await look(page, "dark", paleParts)), ...(await faultsOfWidths(page)));
  // On a phone the title of a column stands before each value.
  await widen(page, "phone");
  faults.push(...(await look(page, "phone in the dark", paleParts)));
  await paint(page, "light");
  await widen(page, "desk");
  return faults;
}

/** Only whether a reader would have to scroll sideways. */
export async function faultsOfWidths(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const width of ["200 %", "larger phone", "phone", "desk"] as const) {
    await widen(page, width);
    faults.push(...(await look(page, width, widePlaces)));
  }
  return faults;
}

async function look(page: Page, where: string, check: () => string[]): Promise<string[]> {
  await settle(page);
  const script = `(() => { ${PARTS.map(String).join("\n")}\nreturn (${check})(); })()`;
  return ((await page.evaluate(script)) as string[]).map((fault) => `${where}: ${fault}`);
}

export const widen = (page: Page, width: keyof typeof WIDTHS) =>
  page.setViewport({ width: WIDTHS[width], height: HEIGHT });

/** The page has one heading, which also names the tab. @returns the faults, in words */
export async function faultsOfHead(page: Page): Promise<string[]> {
  return (await page.evaluate(`(() => {
    const headings = [...document.querySelectorAll("h1")].map(({ innerText }) => innerText);
    const isNamed = document.title === headings[0] + " · Stampede";
    return headings.length === 1 && isNamed ? [] : [document.title + " has the headings " + JSON.stringify(headings)];
  })()`)) as string[];
}

const paint = (page: Page, value: "light" | "dark") =>
  page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);

/** Waits until all moving parts have come to rest, and the page is laid out and drawn. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(`Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {})))
    .then(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))`);
}

// All below runs in the page, function by function, and knows its DOM, for which this project has no types.
// biome-ignore lint/suspicious/noExplicitAny: the DOM
type Dom = any;
declare const document: Dom;
declare const innerWidth: number;
declare const getComputedStyle: Dom;

type Colour = readonly [red: number, green: number, blue: number, alpha: number];

function readColour(text: string): Colour {
  const [, numbers] = /^rgba?\((.*)\)$/.exec(text) ?? [];
  if (numbers === undefined) throw new Error(`the colour ${text} cannot be read`);
  const [red = 0, green = 0, blue = 0, alpha = 1] = numbers.split(/[, /]+/).map(Number);
  return [red, green, blue, alpha];
}

function layOver(upper: Colour, lower: Colour): Colour {
  const mix = (i: 0 | 1 | 2) => upper[i] * upper[3] + lower[i] * (1 - upper[3]);
  return [mix(0), mix(1), mix(2), 1];
}

/** WCAG's contrast of two colours without transparency, from 1 to 21. */
function contrastOf(one: Colour, other: Colour): number {
  const light = (colour: Colour) => {
    const [red = 0, green = 0, blue = 0] = colour
      .slice(0, 3)
      .map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [darker = 0, lighter = 0] = [light(one), light(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** The colour behind an element's text: the backgrounds of all elements around it, one over the other. */
function groundOf(element: Dom): Colour {
  const layers: Colour[] = [];
  for (let at = element; at !== null; at = at.parentElement)
    layers.push(readColour(getComputedStyle(at).backgroundColor));
  return layers.reduceRight((below, layer) => layOver(layer, below), [255, 255, 255, 1] as Colour);
}

/** Whether it has a place on the page; an element for screen readers only has the size of a point. */
function isThere(element: Dom): boolean {
  // In this order: before it measures an element far out of sight, the browser would have to lay it out.
  if (!element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true })) return false;
  const { width, height } = element.getBoundingClientRect();
  return width > 1 && height > 1;
}

/** Some parts are drawn only when they have the focus or the mouse is near: the buttons that copy ids. */
function isSeen(element: Dom): boolean {
  return isThere(element) && element.checkVisibility({ opacityProperty: true });
}

function describe(element: Dom): string {
  const name = element.className ? `.${String(element.className).trim().replaceAll(/\s+/g, ".")}` : "";
  const words = (element.innerText ?? element.value ?? "").trim().replaceAll(/\s+/g, " ").slice(0, 40);
  return `${element.localName}${name} “${words}”`;
}

function namelessControls(): string[] {
  const controls = [...document.querySelectorAll("a[href], button, input, select, textarea, summary")];
  const nameOf = (control: Dom) =>
    control.getAttribute("aria-label") ??
    [...(control.labels ?? [])].map((label) => label.textContent).join(" ") + control.textContent;
  return controls
    .filter((control) => isThere(control) && nameOf(control).trim() === "")
    .map((control) => `${describe(control)} has no name`);
}

/** Texts and edges of fields with too little contrast. Disabled ones may have less. */
function paleParts(): string[] {
  const faults = new Set<string>();
  const judge = (element: Dom, what: string, colour: string, ground: Colour, least: number) => {
    const contrast = contrastOf(layOver(readColour(colour), ground), ground);
    if (contrast < least)
      faults.add(`${what} of ${describe(element)} has a contrast of ${contrast.toFixed(2)}`);
  };
  const leastFor = ({ fontSize, fontWeight }: Dom) => {
    const size = Number.parseFloat(fontSize);
    return size >= 24 || (size >= 18.66 && Number(fontWeight) >= 700) ? 3 : 4.5;
  };
  for (const element of document.querySelectorAll("body *")) {
    if (!isSeen(element) || element.localName === "option") continue;
    const control = element.closest("button, input, select, textarea");
    if (control?.matches(":disabled, [aria-disabled=true]")) continue;
    const style = getComputedStyle(element);
    const hasText = [...element.childNodes].some(
      ({ nodeType, data }) => nodeType === 3 && data.trim() !== "",
    );
    if (hasText || element.value) judge(element, "the text", style.color, groundOf(element), leastFor(style));
    if (element.placeholder && !element.value) {
      const { color } = getComputedStyle(element, "::placeholder");
      judge(element, "the placeholder", color, groundOf(element), leastFor(style));
    }
    for (const side of ["::before", "::after"]) {
      const made = getComputedStyle(element, side);
      if (/[^"\s]/.test(made.content.replace(/^(none|normal)$/, "")))
        judge(element, `the text ${side}`, made.color, groundOf(element), leastFor(made));
    }
    if (element.matches("select, textarea, input:not([type=range], [type=checkbox], [type=radio])"))
      judge(element, "the edge", style.borderTopColor, groundOf(element.parentElement), 3);
  }
  return [...faults];
}

/** Elements that make a reader scroll sideways, except text in fixed lines, which is better not broken. */
function widePlaces(): string[] {
  const excess = document.documentElement.scrollWidth - innerWidth;
  const scrolls = (element: Dom) =>
    element.scrollWidth > element.clientWidth + 1 &&
    /auto|scroll/.test(getComputedStyle(element).overflowX) &&
    !element.matches("pre, textarea, input");
  const widest = (place: Dom) => {
    const right = (element: Dom) => element.getBoundingClientRect().right;
    const [first] = [...place.querySelectorAll("*")].sort((a, b) => right(b) - right(a));
    return `${describe(first)}, by ${Math.round(right(first) - right(place))} pixels`;
  };
  const cut = [...document.querySelectorAll("dialog[open]")].filter((dialog) => {
    const { left, right } = dialog.getBoundingClientRect();
    return left < 0 || right > innerWidth;
  });
  return [
    ...(excess > 0 ? [`the page is ${excess} pixels too wide`] : []),
    ...[...document.querySelectorAll("body *")]
      .filter((element) => isSeen(element) && scrolls(element))
      .map((element) => `${describe(element)} scrolls sideways, for ${widest(element)}`),
    ...cut.map((dialog) => `${describe(dialog)} stands out of the window`),
  ];
}

const PARTS = [readColour, layOver, contrastOf, groundOf, isThere, isSeen, describe];
