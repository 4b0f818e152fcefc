-- Binds ids to owners, each to the first that comes with it, for all claims of one turn.
-- KEYS: hashes id → owner of the time buckets n-1, n, n+1; new ones go into n.
-- ARGV[1]: seconds that a hash is kept at least; then all ids; then all owners. Returns each id's owner.
local count = (#ARGV - 1) / 2
local owners, missing = {}, count
for k = 1, 3 do
  local hash = KEYS[k]
  -- Most of the time only one of them is there.
  if missing > 0 and redis.call('EXISTS', hash) == 1 then
    local found = redis.call('HMGET', hash, unpack(ARGV, 2, count + 1))
    for i = 1, count do
      if found[i] and not owners[i] then
        owners[i] = found[i]
        missing = missing - 1
      end
    end
  end
end
if missing > 0 then
  local new, claims = {}, {}
  for i = 1, count do
    local id = ARGV[1 + i]
    if not owners[i] then
      -- An id may come twice in one call.
      owners[i] = new[id] or ARGV[1 + count + i]
      if not new[id] then
        new[id] = owners[i]
        claims[#claims + 1] = id
        claims[#claims + 1] = owners[i]
      end
    end
  end
  redis.call('HSET', KEYS[2], unpack(claims))
  redis.call('EXPIRE', KEYS[2], ARGV[1], 'NX')
end
return owners
