import type { ReleaseFile } from "./pack-release.ts";

/** The image, which needs a container engine: how to make it, and of what. */
interface ReleaseImage {
  readonly name: string;
  readonly command: string;
  readonly goesTo: string;
  /** Paths in the checkout that it holds. */
  readonly sources: readonly string[];
}

export interface Release {
  readonly version: string;
  /** What is missing before it can be made. */
  readonly problems: readonly string[];
  readonly files: readonly ReleaseFile[];
  readonly image: ReleaseImage;
}

/** @param dockerfile its text */
export function describeImage(version: string, dockerfile: string): ReleaseImage {
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)];
  return {
    name: `stampede:${version}`,
    command: `docker build -f deploy/image/Dockerfile -t stampede:${version} --build-arg REVISION=$(git rev-parse HEAD) .`,
    goesTo: "a registry of containers",
    sources: [...new Set(copied.flatMap(([, paths]) => (paths as string).split(" ")))].sort(),
  };
}

/**
 * The report for people.
 * @param out the folder of the files; undefined if they are not kept
 * @param isLong with the contents of each archive
 */
export function reportLines(
  { version, problems, files, image }: Release,
  out: string | undefined,
  isLong: boolean,
): string[] {
  const lines = [
    `Stampede ${version}${out === undefined ? ", a dry run: nothing is kept" : ` in ${out}`}. Nothing is uploaded.`,
    "",
  ];
  for (const { file, what, goesTo, command, bytes, contents } of files) {
    const holds = contents.length === 0 ? "" : `, ${contents.length} files`;
    lines.push(`${file}  (${what}; ${Math.ceil(bytes / 1024)} KiB${holds})`);
    lines.push(`    to ${goesTo}:  ${command}`);
    if (isLong) lines.push(...contents.map((path) => `      ${path}`));
  }
  lines.push(`image ${image.name}  (made of ${image.sources.join(", ")})`);
  lines.push(`    to ${image.goesTo}:  ${image.command}`);
  lines.push("    and then:  docker push");
  lines.push(`tag v${version}`);
  lines.push(`    to the repository:  git tag -s v${version} && git push origin v${version}`);
  if (problems.length > 0)
    lines.push("", "Before the release:", ...problems.map((problem) => `  ${problem}`));
  return lines;
}
