import { AuthorizationError } from "@nats-io/transport-node";
import t from "tap";
import { natsAccess } from "./nats-access.ts";

const { explain } = natsAccess("nats://stampede:secret@127.0.0.1:4222", {});

t.test(
  "nats access - regression: a login that took too long ended a process as if its password were wrong",
  async (t) => {
    const slow = explain(new AuthorizationError("'Authentication Timeout'"));
    t.match(slow, {
      code: "nats_unreachable",
      passes: true,
      message: /did not wait for the end of the login/,
    });
    const wrong = explain(new AuthorizationError("'Authorization Violation'"));
    t.match(wrong, { code: "nats_login", passes: false, message: /check user and password/ });
  },
);
