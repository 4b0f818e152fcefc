-- Replaces an auction's record if it is at the version that the change was made on.
-- KEYS 1 aver  2 rec auction → record  3 log  4 meta  5 ver lot → sequence
-- ARGV 1 epoch  2 auction  3 expected  4 new version  5 record  6 packed  7 when the last outage that it knows of was over
--      8 silence that is an outage (us)  9 how far the caller knows the log to have come ('' it does not), then {lot, the
--      sequence that it must still be at}
-- Returns 'epoch', 'older', 'silent', 0 (somebody was faster, or an outage is new to it), or the id of the log's message.
local meta = redis.call('HMGET', KEYS[4], 'epoch', 'clock', 'beat', 'outage', 'at')
if meta[1] ~= ARGV[1] then return 'epoch' end
if ARGV[9] ~= '' then
  local ms, n = string.match(meta[5] or '0-0', '^(%d+)-(%d+)$')
  local markMs, markN = string.match(ARGV[9], '^(%d+)-(%d+)$')
  ms, markMs = tonumber(ms), tonumber(markMs)
  if ms < markMs or ms == markMs and tonumber(n) < tonumber(markN) then return 'older' end
end
if (redis.call('HGET', KEYS[1], ARGV[2]) or '0') ~= ARGV[3] then return 0 end
-- An auction's first record comes before its lots: no outage has cost any of them a chance.
if ARGV[3] ~= '0' then
  if meta[3] then
    local t = redis.call('TIME')
    local last = tonumber(meta[2] or 0)
    local now = math.max(tonumber(t[1]) * 1000000 + tonumber(t[2]), last)
    if now - math.max(tonumber(meta[3]), last) > tonumber(ARGV[8]) then return 'silent' end
  end
  if (meta[4] or '0') ~= ARGV[7] then return 0 end
end
for i = 10, #ARGV, 2 do
  if (redis.call('HGET', KEYS[5], ARGV[i]) or '0') ~= ARGV[i + 1] then return 0 end
end
redis.call('HLEN', KEYS[2]); redis.call('XLEN', KEYS[3])
redis.call('HSET', KEYS[1], ARGV[2], ARGV[4])
redis.call('HSET', KEYS[2], ARGV[2], ARGV[5])
local at = redis.call('XADD', KEYS[3], '*', 'e', ARGV[6])
redis.call('PUBLISH', 'rostrum:log', KEYS[3])
redis.call('HINCRBY', KEYS[4], 'bytes', #ARGV[6])
redis.call('HSET', KEYS[4], 'at', at)
return at
