#!/bin/sh
# The first purchase, as in first-purchase.ts, with curl and the tools that every Unix has.
#
#   sh examples/first-purchase.sh      beside a running `npm start`, in the checkout
set -eu

publisher_url=${STAMPEDE_URL:-http://127.0.0.1:8080}
platform_url=${STAMPEDE_PLATFORM_URL:-http://127.0.0.1:8090}
token=${STAMPEDE_TOKEN:-$(cat .stampede/token)}
platform_token=${STAMPEDE_PLATFORM_TOKEN:-$(cat .stampede/platform-token)}

post() { # url, token, body
  curl -sS "$1" -H "authorization: Bearer $2" -H 'content-type: application/json' -d "$3"
}
publisher() { post "$publisher_url/publisher.v1/$1" "$token" "$2"; }
platform() { post "$platform_url/platform.v1/$1" "$platform_token" "$2"; }
# macOS has shasum in its place.
hash() { if command -v sha256sum > /dev/null; then sha256sum; else shasum -a 256; fi | cut -d ' ' -f 1; }
# The first id with this prefix in an answer.
id() { sed -n "s/.*\"\\($1_[0-9a-z]*\\)\".*/\\1/p"; }
# Runs a command until its answer holds a text; what the platform configures is at the publisher a moment later.
until_it_says() {
  wanted=$1; shift
  for _ in $(seq 100); do
    answer=$("$@")
    case $answer in *"$wanted"*) printf "%s\n" "$answer"; return;; esac
    sleep 0.1
  done
  echo "no $wanted came: $answer" >&2; exit 1
}

shop=COFFEE-$(date +%s)-$$
now=$(date -u +%Y-%m-%dT%H:%M:%SZ)

retailer=$(platform retailer/upsert '{"name":"'"$shop"'","merchant_ids":["'"$shop"'"]}' | id ret)
program=$(platform loyalty-program/upsert '{"name":"Every fifth coffee is free","qualifying_threshold":5,
  "reward_config":{"type":"refund"},"rules":{"merchant_ids":["'"$shop"'"]},
  "display_content":{"title":"Every fifth coffee is free","image":"https://example.com/coffee.png",
    "summary":"Five coffees, and the fifth comes back.","description":"Pay with your card.","terms":"Only here."}}' | id lp)

customers=$(publisher member-base/create '{"name":"Customers"}' | id mb)
ada=$(publisher member/bulk-upsert '{"member_base_id":"'"$customers"'","members":[{"ref":"ada"}]}' | id m)
until_it_says '"sc_' publisher wallet.stamp-collection/create \
  '{"loyalty_program_id":"'"$program"'","member_id":"'"$ada"'"}' > /dev/null

publisher transaction/ingest '{"events":[{"member_id":"'"$ada"'","external_id":"'"$shop-1"'","auth_code":"A1B2C3",
  "network":"visa","bin":"457173","merchant_id":"'"$shop"'","amount":450,"currency":"EUR","authed_at":"'"$now"'"}]}'
echo

identifier=$(printf 'stampede:txid:v1\nA1B2C3\nvisa\n457173\n%s' "$shop" | hash)
platform payment/ingest '{"retailer_id":"'"$retailer"'","payments":[{"payment_id":"till-1",
  "identifiers":["'"$identifier"'"],"amount":450,"currency":"EUR","paid_at":"'"$now"'"}]}' > /dev/null

until_it_says qualifying_purchase.created publisher event/list '{"transaction_ref":"'"$shop-1"'"}'
echo
