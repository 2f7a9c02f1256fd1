-- What `runWrk` (wrk.ts) has wrk do:
--
--   wrk … -s wrk.lua URL -- <files of requests, without the number at their end> <warm-up, ms> <measured time, ms>
--
-- Each thread of wrk has a Lua state and a file of its own: requests one after the other, each behind its length in six
-- digits. It reads them as it sends them, so that memory does not grow with their number, and sends each of them once.
-- When its time is over, or its file, it sends no more and ends as soon as the last answer is there.

local ffi = require "ffi"
ffi.cdef [[
  typedef struct { long seconds; long nanoseconds; } bench_time;
  int clock_gettime(int clock, bench_time *time);
]]

local LENGTH_DIGITS = 6
-- As in timeline.ts.
local PIECE_MS = 250
-- Answers to requests of one event have few texts. What is beyond this is counted, not kept.
local TEXTS_MAX = 64
local TEXT_BYTES = 400
local CLOCK_REALTIME = 0

-- What `done` reads of every thread's state. It must be global, and no table: wrk 4.1 crashes when it copies one in another.
sent, answered, began_ms, dry_ms, other_texts = 0, 0, 0, 0, 0
status_kinds, text_kinds, piece_kinds = 0, 0, 0

-- Counts by status, by text, by piece of time: the nth kind of them is `status_n_key`, and came `status_n` times.
local names = { status = {}, text = {}, piece = {} }
local function count(what, key)
  local name = names[what][key]
  if name == nil then
    local kinds = _G[what .. "_kinds"] + 1
    _G[what .. "_kinds"] = kinds
    name = what .. "_" .. kinds
    names[what][key] = name
    _G[name .. "_key"] = key
    _G[name] = 0
  end
  _G[name] = _G[name] + 1
end

local time = ffi.new("bench_time")
local file, ahead, warm_up_ms, measured_ms, start_ms, end_ms
local is_checked, is_over = false, false

local function now_ms()
  ffi.C.clock_gettime(CLOCK_REALTIME, time)
  return tonumber(time.seconds) * 1000 + tonumber(time.nanoseconds) / 1e6
end

-- nil at the end of the file
local function read_request()
  local digits = file:read(LENGTH_DIGITS)
  return digits and file:read(tonumber(digits))
end

-- In the state that starts the threads.
local threads = {}
function setup(thread)
  thread:set("number", #threads)
  threads[#threads + 1] = thread
end

function init(args)
  file = assert(io.open(args[1] .. number, "rb"))
  file:setvbuf("full", 65536)
  ahead = read_request()
  warm_up_ms, measured_ms = tonumber(args[2]), tonumber(args[3])
end

-- Nothing is under way: the line tells the process that started wrk, since wrk itself sleeps until its own time is over.
local function end_if_answered()
  if answered < sent then return end
  io.stdout:write("answered\n")
  io.stdout:flush()
  wrk.thread:stop()
end

-- The empty text silences a connection: wrk writes nothing and then waits for an answer to it.
function request()
  -- wrk has the first thread say its first request before the start, to see whether it is one, and throws it away.
  if number == 0 and not is_checked then
    is_checked = true
    return ahead
  end
  if is_over then return "" end
  if sent == 0 then
    began_ms = now_ms()
    start_ms = began_ms + warm_up_ms
    end_ms = start_ms + measured_ms
  end
  local bytes = ahead
  if bytes == nil then
    is_over = true
    dry_ms = now_ms()
    end_if_answered()
    return ""
  end
  ahead = read_request()
  sent = sent + 1
  return bytes
end

function response(status, _, body)
  local at_ms = now_ms()
  -- As in timeline.ts: the measured time begins with the first answer, where that takes longer than the warm-up.
  if answered == 0 and at_ms > start_ms then
    began_ms = began_ms + at_ms - start_ms
    start_ms, end_ms = at_ms, at_ms + measured_ms
  end
  answered = answered + 1
  count("status", status)
  -- An event that overtook the one before it has fields that are ignored, and names itself there: a text of its own each time.
  local text = body:gsub(',"ignored":%[.*$', "}"):sub(1, TEXT_BYTES)
  if names.text[text] or text_kinds < TEXTS_MAX then count("text", text) else other_texts = other_texts + 1 end
  if status == 200 and at_ms >= start_ms and at_ms < end_ms then
    count("piece", math.floor((at_ms - start_ms) / PIECE_MS))
  end
  if at_ms >= end_ms then is_over = true end
  if is_over then end_if_answered() end
end

local function quote(text)
  local escaped = text:gsub('[%c"\\]', function(c) return string.format("\\u%04x", c:byte()) end)
  return '"' .. escaped .. '"'
end

local function counts_of(thread, what)
  local parts = {}
  for kind = 1, thread:get(what .. "_kinds") do
    local name = what .. "_" .. kind
    parts[kind] = string.format("[%s,%d]", quote(tostring(thread:get(name .. "_key"))), thread:get(name))
  end
  return "[" .. table.concat(parts, ",") .. "]"
end

local function describe(thread)
  return string.format(
    '{"sent":%d,"answered":%d,"began_ms":%.3f,"dry_ms":%.3f,"pieces":%s,"statuses":%s,"texts":%s,"other_texts":%d}',
    thread:get("sent"), thread:get("answered"), thread:get("began_ms"), thread:get("dry_ms"),
    counts_of(thread, "piece"), counts_of(thread, "status"), counts_of(thread, "text"), thread:get("other_texts")
  )
end

-- One line of JSON, after what wrk prints itself. wrk measures in microseconds.
function done(summary, latency, _)
  local parts = {}
  for at, thread in ipairs(threads) do parts[at] = describe(thread) end
  local errors = summary.errors
  print(string.format(
    '{"requests":%d,"duration_ms":%.3f,"latency_ms":{"p50":%.3f,"p90":%.3f,"p99":%.3f,"max":%.3f},'
      .. '"errors":{"connect":%d,"read":%d,"write":%d,"timeout":%d},"threads":[%s]}',
    summary.requests, summary.duration / 1000,
    latency:percentile(50) / 1000, latency:percentile(90) / 1000, latency:percentile(99) / 1000, latency.max / 1000,
    errors.connect, errors.read, errors.write, errors.timeout, table.concat(parts, ",")
  ))
end
