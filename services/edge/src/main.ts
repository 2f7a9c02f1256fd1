import { runService } from "#runtime";
import { startEdge } from "./service.ts";

await runService("edge", startEdge);
