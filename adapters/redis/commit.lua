-- Commits the batches of all lots of one shard that are ready: every check for every lot first, then only writes that cannot
-- fail, because a script does not roll back. A lot that fails a check is left out and told why; the others commit.
--
-- KEYS  1 ver  lot → sequence            2 lot  lot → snapshot        3 aver auction → record version
--       4 due  lots by next moment (us)  5 log  the shard's stream    6 meta epoch, bytes, clock
--       7 exp  auction|bidder → cents    8-10 idempotency keys of the stretches n-1, n, n+1
-- ARGV  1 epoch  2 oldest stamp (us)  3 most bytes in the log  4 n  5 stretch (s)  6 how many lots, then for each lot:
--       lot, auction, expected sequence, record version, stamp, valid until or '', new sequence or '', snapshot,
--       due or '', packed entry, #keys, #limits, #exposures,
--       {field, value or ''}, {field, most or '', least or ''}, {field, delta}
-- Returns {'epoch'} or {'full'}, or {clock, verdict of each lot}: 1 committed, or {why, …}.
local CHUNK = 4000
local t = redis.call('TIME')
local meta = redis.call('HMGET', KEYS[6], 'epoch', 'bytes', 'clock')
if meta[1] ~= ARGV[1] then return { 'epoch' } end
local now = tonumber(t[1]) * 1000000 + tonumber(t[2])
local last = tonumber(meta[3] or 0)
if last > now then now = last end
local bytes = tonumber(meta[2] or 0)
if bytes > tonumber(ARGV[3]) then return { 'full' } end
-- Reading each key once shows a wrong type before anything is written.
redis.call('HLEN', KEYS[2]); redis.call('ZCARD', KEYS[4]); redis.call('XLEN', KEYS[5]); redis.call('HLEN', KEYS[7])

local stretch = tonumber(ARGV[5])
local here = math.floor(now / 1000000 / stretch) - tonumber(ARGV[4])
if here < 0 or here > 1 then return { 'stretch', string.format('%.0f', now) } end
local kept, before = KEYS[9 + here], KEYS[8 + here]

local function manyGet(key, fields)
  local n = #fields
  if n == 0 then return fields end
  if n <= CHUNK then return redis.call('HMGET', key, unpack(fields)) end
  local out = {}
  for i = 1, n, CHUNK do
    local got = redis.call('HMGET', key, unpack(fields, i, math.min(i + CHUNK - 1, n)))
    for j = 1, #got do out[i + j - 1] = got[j] end
  end
  return out
end

local function manySet(key, flat)
  for i = 1, #flat, CHUNK do redis.call('HSET', key, unpack(flat, i, math.min(i + CHUNK - 1, #flat))) end
end

-- Read the arguments.
local count, at = tonumber(ARGV[6]), 7
local lots, ids, keyFields, limitFields = {}, {}, {}, {}
local auctionIds, auctionAt = {}, {}
local present, twice = {}, false
for i = 1, count do
  local lot = { id = ARGV[at], auction = ARGV[at + 1], expected = ARGV[at + 2], record = ARGV[at + 3],
    stamp = tonumber(ARGV[at + 4]), untilUs = tonumber(ARGV[at + 5]), sequence = ARGV[at + 6], snapshot = ARGV[at + 7],
    due = ARGV[at + 8], packed = ARGV[at + 9] }
  local nKeys, nLimits, nExp = tonumber(ARGV[at + 10]), tonumber(ARGV[at + 11]), tonumber(ARGV[at + 12])
  at = at + 13
  lot.keysFrom, lot.keysTo = at, at + nKeys * 2 - 1
  for k = lot.keysFrom, lot.keysTo, 2 do keyFields[#keyFields + 1] = ARGV[k] end
  lot.limitsFrom, lot.limitsTo = lot.keysTo + 1, lot.keysTo + nLimits * 3
  for k = lot.limitsFrom, lot.limitsTo, 3 do limitFields[#limitFields + 1] = ARGV[k] end
  lot.expFrom, lot.expTo = lot.limitsTo + 1, lot.limitsTo + nExp * 2
  at = lot.expTo + 1
  if not auctionAt[lot.auction] then
    auctionIds[#auctionIds + 1] = lot.auction
    auctionAt[lot.auction] = #auctionIds
  end
  lots[i], ids[i] = lot, lot.id
  if present[lot.id] then twice = true end
  present[lot.id] = true
end

-- Read all that the checks need. A lot may come twice in one call: the second time it stands where the first has left it.
local versions, snapshots = {}, {}
for i, version in ipairs(manyGet(KEYS[1], ids)) do versions[ids[i]] = version end
local records = manyGet(KEYS[3], auctionIds)
local known, anyKnown = {}, false
local function note(answers)
  for i = 1, #keyFields do
    if answers[i] then known[keyFields[i]], anyKnown = answers[i], true end
  end
end
if #keyFields > 0 then
  -- Most of the time there is no stretch before, and there is nothing to look for in it.
  if redis.call('EXISTS', before) == 1 then note(manyGet(before, keyFields)) end
  note(manyGet(kept, keyFields))
end
local exposure = {}
local exposed = manyGet(KEYS[7], limitFields)
for i = 1, #limitFields do
  if exposed[i] then exposure[limitFields[i]] = tonumber(exposed[i]) end
end

local oldest = now - tonumber(ARGV[2])
local function check(lot)
  if (versions[lot.id] or '0') ~= lot.expected then
    return { 'v', snapshots[lot.id] or redis.call('HGET', KEYS[2], lot.id) or '' }
  end
  if (records[auctionAt[lot.auction]] or '0') ~= lot.record then return { 'r' } end
  if lot.stamp > now or lot.stamp < oldest then return { 'c' } end
  if lot.untilUs and now >= lot.untilUs then return { 'c' } end
  if anyKnown then
    local hits = nil
    for k = lot.keysFrom, lot.keysTo, 2 do
      local answer = known[ARGV[k]]
      if answer then
        hits = hits or { 'k' }
        hits[#hits + 1] = ARGV[k]
        hits[#hits + 1] = answer
      end
    end
    if hits then return hits end
  end
  local wrong = nil
  for k = lot.limitsFrom, lot.limitsTo, 3 do
    local actual, most, least = exposure[ARGV[k]] or 0, ARGV[k + 1], ARGV[k + 2]
    if (most ~= '' and actual > tonumber(most)) or (least ~= '' and actual < tonumber(least)) then
      wrong = wrong or { 'x' }
      wrong[#wrong + 1] = ARGV[k]
      wrong[#wrong + 1] = string.format('%.0f', actual)
    end
  end
  return wrong
end

local out = { string.format('%.0f', now) }
local setVersions, setLots, setKeys, addDue, dropDue, packed, addExposure = {}, {}, {}, {}, {}, {}, {}
for i = 1, count do
  local lot = lots[i]
  local why = check(lot)
  out[i + 1] = why or 1
  if not why then
    for k = lot.keysFrom, lot.keysTo, 2 do
      if ARGV[k + 1] ~= '' then
        setKeys[#setKeys + 1] = ARGV[k]
        setKeys[#setKeys + 1] = ARGV[k + 1]
        if twice then known[ARGV[k]], anyKnown = ARGV[k + 1], true end
      end
    end
    for k = lot.expFrom, lot.expTo, 2 do
      addExposure[#addExposure + 1] = k
      exposure[ARGV[k]] = (exposure[ARGV[k]] or 0) + tonumber(ARGV[k + 1])
    end
    if lot.sequence ~= '' then
      versions[lot.id], snapshots[lot.id] = lot.sequence, lot.snapshot
      setVersions[#setVersions + 1] = lot.id
      setVersions[#setVersions + 1] = lot.sequence
      setLots[#setLots + 1] = lot.id
      setLots[#setLots + 1] = lot.snapshot
      if lot.due == '' then dropDue[#dropDue + 1] = lot.id
      else
        addDue[#addDue + 1] = lot.due
        addDue[#addDue + 1] = lot.id
      end
      packed[#packed + 1] = lot.packed
    end
  end
end

-- From here on nothing can fail.
manySet(KEYS[1], setVersions)
manySet(KEYS[2], setLots)
for i = 1, #addDue, CHUNK do redis.call('ZADD', KEYS[4], unpack(addDue, i, math.min(i + CHUNK - 1, #addDue))) end
for i = 1, #dropDue, CHUNK do redis.call('ZREM', KEYS[4], unpack(dropDue, i, math.min(i + CHUNK - 1, #dropDue))) end
for i = 1, #addExposure do
  local k = addExposure[i]
  if redis.call('HINCRBY', KEYS[7], ARGV[k], ARGV[k + 1]) == 0 then redis.call('HDEL', KEYS[7], ARGV[k]) end
end
if #setKeys > 0 then
  manySet(kept, setKeys)
  redis.call('EXPIRE', kept, stretch * 2 + 3600, 'NX')
end
if #packed > 0 then
  local text = table.concat(packed, '\n')
  redis.call('XADD', KEYS[5], '*', 'e', text)
  redis.call('PUBLISH', 'rostrum:log', KEYS[5])
  redis.call('HSET', KEYS[6], 'bytes', string.format('%.0f', bytes + #text), 'clock', string.format('%.0f', now))
end
return out
