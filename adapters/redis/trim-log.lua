-- Removes a shard's oldest messages and takes their bytes off its count, a bounded part at a time.
-- KEYS 1 log  2 meta    ARGV 1 last id to go  2 bytes that one call may read
-- Returns {how many went, 1 if there is more}.
local maxBytes, bytes, count, last, more = tonumber(ARGV[2]), 0, 0, nil, 0
local from = '-'
repeat
  local got = redis.call('XRANGE', KEYS[1], from, ARGV[1], 'COUNT', 16)
  for i = 1, #got do
    last = got[i][1]
    for at = 2, #got[i][2], 2 do bytes = bytes + #got[i][2][at] end
    count = count + 1
  end
  if #got == 16 then from = '(' .. last end
  if #got == 16 and bytes >= maxBytes then more = 1 end
until #got < 16 or more == 1
if last then
  local ms, counter = string.match(last, '^(%d+)-(%d+)$')
  redis.call('XTRIM', KEYS[1], 'MINID', ms .. '-' .. string.format('%.0f', tonumber(counter) + 1))
  redis.call('HINCRBY', KEYS[2], 'bytes', -bytes)
end
return { count, more }
