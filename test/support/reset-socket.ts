import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";

/**
 * Ends a connection with a reset, as a crash does. A socket whose end is on its way is only destroyed: libuv refuses to reset
 * it, Node takes it for closed all the same, and the process, when it ends, waits for it for ever, at full speed. Node resets
 * no TLS.
 */
export function resetSocket(socket: Socket): void {
  if (socket.writableEnded || socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}
