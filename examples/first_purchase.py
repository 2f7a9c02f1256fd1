"""The first purchase, as in first-purchase.ts, with nothing but Python's own library.

    python3 examples/first_purchase.py      beside a running `npm start`, in the checkout
"""

import hashlib
import json
import os
import time
import urllib.error
import urllib.request
from datetime import datetime, timezone
from pathlib import Path

PUBLISHER = os.environ.get("STAMPEDE_URL", "http://127.0.0.1:8080") + "/publisher.v1/"
PLATFORM = os.environ.get("STAMPEDE_PLATFORM_URL", "http://127.0.0.1:8090") + "/platform.v1/"
TOKENS = {
    PUBLISHER: os.environ.get("STAMPEDE_TOKEN") or Path(".stampede/token").read_text().strip(),
    PLATFORM: os.environ.get("STAMPEDE_PLATFORM_TOKEN") or Path(".stampede/platform-token").read_text().strip(),
}


class Refused(Exception):
    """What the service answered instead of 200; `code` says why."""

    def __init__(self, error):
        super().__init__(f"{error['code']}: {error['message']} (trace id {error['trace_id']})")
        self.code = error["code"]


def call(api, route, body):
    headers = {"authorization": f"Bearer {TOKENS[api]}", "content-type": "application/json"}
    request = urllib.request.Request(api + route, json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refusal:
        raise Refused(json.load(refusal)["error"]) from None


def until(ask):
    """Asks until there is an answer: what the platform configures is at the publisher a moment later."""
    while True:
        answer = ask()
        if answer is not None:
            return answer
        time.sleep(0.1)


shop = f"COFFEE-{time.time_ns()}"
now = datetime.now(timezone.utc).isoformat()

retailer = call(PLATFORM, "retailer/upsert", {"name": shop, "merchant_ids": [shop]})
program = call(PLATFORM, "loyalty-program/upsert", {
    "name": "Every fifth coffee is free",
    "qualifying_threshold": 5,
    "reward_config": {"type": "refund"},
    "display_content": {
        "title": "Every fifth coffee is free",
        "image": "https://example.com/coffee.png",
        "summary": "Five coffees, and the fifth comes back.",
        "description": "Pay with your card; the stamps come by themselves.",
        "terms": "Only here.",
    },
    "rules": {"merchant_ids": [shop]},
})

customers = call(PUBLISHER, "member-base/create", {"name": "Customers"})["id"]
[ada] = call(PUBLISHER, "member/bulk-upsert", {"member_base_id": customers, "members": [{"ref": "ada"}]})


def enrol():
    try:
        return call(PUBLISHER, "wallet.stamp-collection/create", {
            "loyalty_program_id": program["id"], "member_id": ada,
        })
    except Refused as refused:
        if refused.code != "not_found":
            raise
        return None


until(enrol)

card = {"auth_code": "A1B2C3", "network": "visa", "bin": "457173", "merchant_id": shop}
event = {"member_id": ada, "external_id": f"{shop}-1", **card, "amount": 450, "currency": "EUR", "authed_at": now}
print("the purchase is", call(PUBLISHER, "transaction/ingest", {"events": [event]})["status"])

text = "\n".join(["stampede:txid:v1", card["auth_code"], card["network"], card["bin"], card["merchant_id"]])
identifier = hashlib.sha256(text.encode()).hexdigest()
call(PLATFORM, "payment/ingest", {
    "retailer_id": retailer["id"],
    "payments": [{
        "payment_id": "till-1", "identifiers": [identifier], "amount": 450, "currency": "EUR", "paid_at": now,
    }],
})


def told():
    events = call(PUBLISHER, "event/list", {"transaction_ref": event["external_id"]})["data"]
    return next((one for one in events if one["type"] == "qualifying_purchase.created"), None)


stamp = until(told)
print(f"{stamp['type']}: {stamp['unredeemed_purchases']} of {program['qualifying_threshold']} stamps")
