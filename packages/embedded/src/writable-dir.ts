import { accessSync, constants, mkdirSync, realpathSync } from "node:fs";
import { StartError } from "#runtime";

/** Makes the directory if it is missing and returns its real path. Others may pass through it but not list it. */
export function writableDir(dir: string): string {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o711 });
    accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK);
    return realpathSync(dir);
  } catch (error) {
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    const doThis = "make it a directory that you may write to, or set STAMPEDE_DATA_DIR to another one";
    throw new StartError("data_dir_not_writable", `cannot write to ${dir} (${code}): ${doThis}`, {
      cause: error,
    });
  }
}
