-- Counts requests per caller in windows that open with the first one, for all callers of one tick at once.
-- KEYS: one counter per caller, all of one hash slot. ARGV[1]: the window in milliseconds; ARGV[i + 1]: how many
-- requests KEYS[i] makes now. Returns {now, count, end, count, end, …}, times in Unix milliseconds.
-- The counters are worth a minute: they are kept out of the append-only file, so that reading costs no disk write.
redis.set_repl(redis.REPL_NONE)
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local window = tonumber(ARGV[1])
local answer = { now }
for i = 1, #KEYS do
  local count = redis.call('INCRBY', KEYS[i], ARGV[i + 1])
  local ends = redis.call('PEXPIRETIME', KEYS[i])
  if ends < 0 then
    ends = now + window
    redis.call('PEXPIREAT', KEYS[i], ends)
  end
  answer[2 * i] = count
  answer[2 * i + 1] = ends
end
return answer
