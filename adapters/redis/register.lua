-- Registers bidders of an auction: those who are not known, or owe only a deposit, become approved; those without a
-- paddle get the next free one. What somebody decided of a bidder stays: the caller may not know of it yet. With
-- `bump` it replaces one registration whole and moves the record's version, so that it holds for the very next bid.
-- KEYS 1 aver  2 bid auction|bidder → registration, auction|#paddle → bidder  3 log  4 meta
-- ARGV 1 epoch  2 auction  3 bump (0/1)  4 reason or ''  5 how far the caller knows the log to have come ('' it does not)
--      then {bidder, user or '', alias, paddle or '', status, limit or '', version of the conditions or ''}
-- Returns 'epoch', 'older', or the registrations as JSON texts and the id of the log's message if there is one.
local meta = redis.call('HMGET', KEYS[4], 'epoch', 'at')
if meta[1] ~= ARGV[1] then return 'epoch' end
if ARGV[5] ~= '' then
  local ms, n = string.match(meta[2] or '0-0', '^(%d+)-(%d+)$')
  local markMs, markN = string.match(ARGV[5], '^(%d+)-(%d+)$')
  ms, markMs = tonumber(ms), tonumber(markMs)
  if ms < markMs or ms == markMs and tonumber(n) < tonumber(markN) then return 'older' end
end
redis.call('HLEN', KEYS[1]); redis.call('XLEN', KEYS[3])
local auction, bump = ARGV[2], ARGV[3] == '1'
local prefix, nothing = auction .. '|', cjson.null
local out, lines = {}, {}

local function freePaddle()
  local number
  repeat
    number = tostring(1000 + redis.call('HINCRBY', KEYS[2], prefix .. '#', 1))
  until redis.call('HEXISTS', KEYS[2], prefix .. '#' .. number) == 0
  return number
end

for i = 6, #ARGV, 7 do
  local key = ARGV[i]
  local text = redis.call('HGET', KEYS[2], prefix .. key)
  local old = text and cjson.decode(text) or nil
  local known = old and old.status ~= 'deposit_due' and (old.status ~= 'approved' or old.paddle ~= nothing)
  if bump or not known then
    local paddle = old and old.paddle ~= nothing and old.paddle or (ARGV[i + 3] ~= '' and ARGV[i + 3] or nil)
    local status = ARGV[i + 4]
    if not paddle and status == 'approved' then paddle = freePaddle() end
    local limit = nothing
    if ARGV[i + 5] ~= '' then limit = tonumber(ARGV[i + 5]) end
    if not bump and old and old.limitCents ~= nothing then limit = old.limitCents end
    local version = ARGV[i + 6] ~= '' and tonumber(ARGV[i + 6]) or nil
    if not bump and old then version = old.conditionsVersion end
    local bidder = { key = key, userId = ARGV[i + 1] ~= '' and tonumber(ARGV[i + 1]) or nothing,
      alias = old and old.alias or ARGV[i + 2], paddle = paddle or nothing, status = status, limitCents = limit,
      conditionsVersion = version }
    text = cjson.encode(bidder)
    redis.call('HSET', KEYS[2], prefix .. key, text)
    if paddle then redis.call('HSETNX', KEYS[2], prefix .. '#' .. paddle, key) end
    local reason = ARGV[4] ~= '' and ARGV[4] or nothing
    local event = cjson.encode({ type = 'bidder_saved', bidder = bidder, reason = reason })
    lines[#lines + 1] = '["a",' .. auction .. ']\n' .. event .. '\n'
  end
  out[#out + 1] = text
end
if #lines > 0 then
  local packed = table.concat(lines, '\n')
  -- Without a record there is no version yet that anybody could have decided on.
  if bump and redis.call('HEXISTS', KEYS[1], auction) == 1 then redis.call('HINCRBY', KEYS[1], auction, 1) end
  local at = redis.call('XADD', KEYS[3], '*', 'e', packed)
  redis.call('PUBLISH', 'rostrum:log', KEYS[3])
  redis.call('HINCRBY', KEYS[4], 'bytes', #packed)
  redis.call('HSET', KEYS[4], 'at', at)
  out[#out + 1] = at
end
return out
