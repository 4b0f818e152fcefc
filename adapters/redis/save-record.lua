-- Replaces an auction's record if it stands at the version that the change was made on.
-- KEYS 1 aver  2 rec auction → record  3 log  4 meta  5 ver lot → sequence
-- ARGV 1 epoch  2 auction  3 expected  4 new version  5 record  6 packed
--      then {lot, the sequence that it must still be at}
-- Returns 'epoch', 0 (somebody was faster) or 1.
if redis.call('HGET', KEYS[4], 'epoch') ~= ARGV[1] then return 'epoch' end
if (redis.call('HGET', KEYS[1], ARGV[2]) or '0') ~= ARGV[3] then return 0 end
for i = 7, #ARGV, 2 do
  if (redis.call('HGET', KEYS[5], ARGV[i]) or '0') ~= ARGV[i + 1] then return 0 end
end
redis.call('HLEN', KEYS[2]); redis.call('XLEN', KEYS[3])
redis.call('HSET', KEYS[1], ARGV[2], ARGV[4])
redis.call('HSET', KEYS[2], ARGV[2], ARGV[5])
redis.call('XADD', KEYS[3], '*', 'e', ARGV[6])
redis.call('PUBLISH', 'rostrum:log', KEYS[3])
redis.call('HINCRBY', KEYS[4], 'bytes', #ARGV[6])
return 1
