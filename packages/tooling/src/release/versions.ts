/** The places of a release's version besides package.json: the file, and the pattern of each place in it. */
const PLACES: ReadonlyArray<readonly [file: string, pattern: RegExp]> = [
  ["packages/client/package.json", /^ {2}"version": "(.*)",$/gm],
  ["deploy/image/Dockerfile", /^ARG VERSION=(.*)$/gm],
  ["deploy/compose/compose.yaml", /image: stampede:(\S+)/g],
  ["deploy/kubernetes/kustomization.yaml", /newTag: (\S+)/g],
  ["docs/operations/deploy.md", /\bstampede:(\d+\.\d+\.\d+)/g],
];

/** A file of the checkout by its path. */
type Read = (path: string) => string;

/** Each place that names another version than package.json, and each file that names none any more. */
export function versionProblems(version: string, read: Read): string[] {
  return PLACES.flatMap(([file, pattern]) => {
    const found = [...read(file).matchAll(pattern)].map(([, one]) => one);
    if (found.length === 0) return [`${file}: names no version, so that nothing holds it to ${version}`];
    const other = found.find((one) => one !== version);
    return other === undefined ? [] : [`${file}: names ${other}, and package.json ${version}`];
  });
}

/** The text of CHANGELOG.md about this version; undefined: it has no section for it. */
export function changesOf(version: string, changelog: string): string | undefined {
  const [, section] = changelog.split(new RegExp(`^## ${version.replaceAll(".", "\\.")}\\b.*$`, "m"));
  return section?.split(/^## /m)[0]?.trim();
}
