import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { installedLicences } from "../licence-rules.ts";

const LICENCE_FILE = /^(licen[cs]e|copying|notice)([.-].*)?$/i;
const RULE = "-".repeat(78);

/**
 * The licences of every shipped package, each with its text and its notices. Packages for other platforms are
 * not installed here: only the name of their licence is known, which is that of their siblings.
 */
export function thirdPartyNotices(root: string): string {
  const shipped = installedLicences(root)
    .filter(({ isDevelopment }) => !isDevelopment)
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const parts = shipped.map(({ path, licence }) => {
    const folder = join(root, path);
    const name = path.replace(/^.*node_modules\//, "");
    const version = existsSync(folder)
      ? ` ${(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string }).version}`
      : "";
    return `${RULE}\n${name}${version}: ${licence ?? "see its text"}\n${RULE}\n\n${textsIn(folder)}\n`;
  });
  return `Stampede is licensed under Apache-2.0 (LICENSE). It is shipped with the packages below.\n\n${parts.join("\n")}`;
}

function textsIn(folder: string): string {
  if (!existsSync(folder)) return "For another platform than that on which this file was made.\n";
  const names = readdirSync(folder).filter((name) => LICENCE_FILE.test(name));
  const texts = names.sort().map((name) => readFileSync(join(folder, name), "utf8").trim());
  return texts.length === 0 ? "The package has no file with its text.\n" : `${texts.join("\n\n")}\n`;
}
