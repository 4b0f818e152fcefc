-- Binds ids to owners, each to the first that comes with it, for all claims of one turn.
-- KEYS: hashes id → owner of the time buckets n-1, n, n+1; new ones go into n.
-- ARGV[1]: seconds that a hash is kept at least; then id, owner, id, owner, … Returns each id's owner.
local owners = {}
for i = 2, #ARGV, 2 do
  local owner = nil
  for k = 1, 3 do
    if not owner then owner = redis.call('HGET', KEYS[k], ARGV[i]) end
  end
  if not owner then
    owner = ARGV[i + 1]
    redis.call('HSET', KEYS[2], ARGV[i], owner)
  end
  owners[#owners + 1] = owner
end
if redis.call('EXISTS', KEYS[2]) == 1 then redis.call('EXPIRE', KEYS[2], ARGV[1], 'NX') end
return owners
