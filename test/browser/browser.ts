import { execFileSync } from "node:child_process";
import puppeteer, { type Browser, type Page } from "puppeteer-core";
import type { Test } from "tap";

/** How long a page may take to show the expected content, on a busy machine. */
export const DEADLINE_MS = 90_000;

const chromium = findChromium();

/** For the `skip` of tests: the reason why there is no browser, or false. */
export const NO_BROWSER =
  chromium === undefined && "no chromium on the PATH, and none named by CHROMIUM_PATH";

export function launchBrowser(): Promise<Browser> {
  if (chromium === undefined) throw new Error(String(NO_BROWSER));
  return puppeteer.launch({
    executablePath: chromium,
    timeout: DEADLINE_MS,
    // Chromium refuses its sandbox to root; the pages it opens here are our own. Without a GPU it would
    // imitate one.
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--disable-background-networking",
      // It would start another process for each page in advance: a quarter of what a visit costs.
      "--disable-features=SpareRendererForSitePerProcess",
    ],
  });
}

export interface WatchedPage {
  readonly page: Page;
  /**
   * All console messages of the page, its exceptions, its refused requests, and every request to another
   * host.
   */
  readonly complaints: string[];
}

export interface WatchOptions {
  /** The prefix of every allowed request, such as `http://127.0.0.1:8070/`. */
  readonly origin: string;
  /** Answers that count as complaints; a page that fails on purpose names its own. Default: 404 and 5xx. */
  readonly isBad?: (status: number) => boolean;
}

/** An empty page in a profile of its own, which is closed with the test. */
export async function openPage(
  t: Test,
  browser: Browser,
  { origin, isBad = (status) => status === 404 || status >= 500 }: WatchOptions,
): Promise<WatchedPage> {
  const context = await browser.createBrowserContext();
  t.teardown(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(DEADLINE_MS);
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() !== "error" && message.type() !== "warn") return;
    const [, status] = /^Failed to load resource: .* status of (\d+)/.exec(message.text()) ?? [];
    if (status === undefined || isBad(Number(status))) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("requestfailed", (failed) => {
    const why = failed.failure()?.errorText;
    // The page itself gave this request up, because it shows something else by now.
    if (why !== "net::ERR_ABORTED") complaints.push(`${failed.url()}: ${why}`);
  });
  page.on("response", (response) => {
    // The contents of a style sheet or script, such as icons, make no request.
    const isInside = response.url().startsWith("data:");
    if (!response.url().startsWith(origin) && !isInside) complaints.push(`${response.url()} was asked`);
    if (isBad(response.status())) complaints.push(`${response.url()}: ${response.status()}`);
  });
  return { page, complaints };
}

/**
 * The browser without a window, if it is installed: the whole browser draws its window around each page, for
 * several times the CPU time.
 */
function findChromium(): string | undefined {
  if (process.env.CHROMIUM_PATH) return process.env.CHROMIUM_PATH;
  try {
    const find = "command -v chromium-headless-shell || command -v chromium";
    return execFileSync("sh", ["-c", find], { encoding: "utf8" }).trim();
  } catch {
    return undefined;
  }
}
