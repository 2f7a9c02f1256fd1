import { type DestinationStream, type Logger, pino } from "pino";
import { LogOutput } from "./log-output.ts";

export type Log = Logger;

const STANDARD_OUTPUT = 1;

/**
 * A JSON logger: one line per unit of work, times in ISO 8601. Callers log ids, counts and codes; request bodies,
 * tokens and card data have no way in, because nothing here serialises a request.
 */
export function createLog(options: { service: string; level: string; destination?: DestinationStream }): Log {
  return pino(
    {
      level: options.level,
      base: { service: options.service, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    options.destination ?? new LogOutput(STANDARD_OUTPUT),
  );
}
