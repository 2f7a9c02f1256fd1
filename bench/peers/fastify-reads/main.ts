/** The peer of the reads as a process. See bench/README.md. */

import { runPeer } from "../peer-app.ts";
import { startServer } from "./server.ts";

await runPeer(startServer);
