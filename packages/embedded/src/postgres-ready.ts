import { connect } from "node:net";

const ANSWER_MS = 2_000;
const PROTOCOL_3_0 = 196_608;

/**
 * Asks a PostgreSQL whether it takes connections, the way pg_isready does: a start-up packet, and a look at what comes
 * back. True: it asks for a password. "busy": it says that it is starting up or recovering (SQLSTATE 57P03).
 * False: nobody answers.
 */
export function askPostgres(port: number, user: string, database: string): Promise<boolean | "busy"> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const answer = (value: boolean | "busy"): void => {
      socket.destroy();
      resolve(value);
    };
    socket.setTimeout(ANSWER_MS, () => answer(false));
    socket.once("error", () => answer(false));
    socket.once("close", () => answer(false));
    socket.once("connect", () => socket.write(startupPacket(user, database)));
    socket.once("data", (message) => {
      const type = String.fromCharCode(message[0] ?? 0);
      if (type === "R") answer(true);
      else answer(type === "E" && message.includes("57P03") ? "busy" : false);
    });
  });
}

function startupPacket(user: string, database: string): Buffer {
  const body = Buffer.from(`user\0${user}\0database\0${database}\0\0`);
  const packet = Buffer.alloc(8 + body.length);
  packet.writeInt32BE(packet.length, 0);
  packet.writeInt32BE(PROTOCOL_3_0, 4);
  body.copy(packet, 8);
  return packet;
}
