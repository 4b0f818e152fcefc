-- A shard's heartbeat: says that the journal is there, and notes a silence before it as an outage (rule 16). Any
-- process may send it, as often as it likes; it is kept only while the closing index has lots to watch over.
-- KEYS 1 meta clock, beat, outage (when the last one was over), outages 'from-to,from-to'  2 due  3 a key that is in nobody's way
-- ARGV 1 epoch  2 silence that is an outage (us)  3 how often the beat is written at most (us)  4 outages that are kept
--      5 silence after which the journal has to prove that it has room for bids (us)
--      6 how far the caller knows the log to have come ('' it does not)
-- Returns 'epoch', 'older', or {when the last outage was over ('0': there was none), the time}, or '' where there is nothing to
-- watch over.
local meta = redis.call('HMGET', KEYS[1], 'epoch', 'clock', 'beat', 'outages', 'outage', 'at')
if meta[1] ~= ARGV[1] then return 'epoch' end
if ARGV[6] ~= '' and meta[6] ~= ARGV[6] then
  local ms, n = string.match(meta[6] or '0-0', '^(%d+)-(%d+)$')
  local markMs, markN = string.match(ARGV[6], '^(%d+)-(%d+)$')
  ms, markMs = tonumber(ms), tonumber(markMs)
  if ms < markMs or ms == markMs and tonumber(n) < tonumber(markN) then return 'older' end
end
local beat = tonumber(meta[3])
if redis.call('ZCARD', KEYS[2]) == 0 then
  if beat then redis.call('HDEL', KEYS[1], 'beat') end
  return ''
end
local t = redis.call('TIME')
local last = tonumber(meta[2] or 0)
local now = math.max(tonumber(t[1]) * 1000000 + tonumber(t[2]), last)
local alive = math.max(beat or now, last)
-- A disk that is full still takes the few bytes of a beat now and then, though no bid. These do not fit any more: then the
-- server ends before it has beaten, as with a bid.
if now - alive > tonumber(ARGV[5]) then
  redis.call('SET', KEYS[3], string.rep('0', 8192))
  redis.call('DEL', KEYS[3])
end
if now - alive > tonumber(ARGV[2]) then
  local outages = string.format('%.0f-%.0f', alive, now)
  local left = tonumber(ARGV[4]) - 1
  local kept = {}
  for outage in string.gmatch(meta[4] or '', '[^,]+') do kept[#kept + 1] = outage end
  outages = table.concat(kept, ',', math.max(1, #kept - left + 1)) .. (#kept > 0 and ',' or '') .. outages
  redis.call('HSET', KEYS[1], 'beat', string.format('%.0f', now), 'outage', string.format('%.0f', now),
    'outages', outages)
  return {string.format('%.0f', now), string.format('%.0f', now)}
end
if not beat or now - beat >= tonumber(ARGV[3]) then
  redis.call('HSET', KEYS[1], 'beat', string.format('%.0f', now))
end
return {meta[5] or '0', string.format('%.0f', now)}
