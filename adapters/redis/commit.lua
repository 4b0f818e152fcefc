-- Commits the batches of all lots of one shard that are ready: every check for every lot first, then only writes that
-- cannot fail, because a script does not roll back. A lot that fails a check is left out and told why; the others
-- commit.
--
-- KEYS  1 ver  lot → sequence            2 lot  lot → snapshot        3 aver auction → record version
--       4 due  lots by next moment (us)  5 log  the shard's stream    6 meta epoch, bytes, clock
--       7 exp  auction|bidder → cents    8-10 idempotency records of the time buckets n-1, n, n+1
-- ARGV  1 epoch  2 oldest stamp (us)  3 max bytes in the log  4 n  5 length of a time bucket (s)
--       6 how many lots  7 how many keys  8 how many upper bounds of exposure  9 how many lower bounds, over all lots;
--       then for each lot: lot, auction, expected sequence, expected hash of its last entry or '', record version,
--       stamp, valid until or '', new sequence or '', snapshot, due or '', packed entry, #keys, #upper bounds,
--       #lower bounds, #exposures, {field, delta of each exposure};
--       all keys; the record to keep under each, or '';
--       all upper bounds' fields; the bounds; all lower bounds' fields; the bounds
-- Columns, because a slice of the arguments goes into a command as it is.
-- Returns {'epoch'}, {'full'} or {'bucket', clock}, or {clock, result of each lot}: 1 committed, or {kind, …} with
-- the kind of CommitResult.
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

local bucketSeconds = tonumber(ARGV[5])
local here = math.floor(now / 1000000 / bucketSeconds) - tonumber(ARGV[4])
if here < 0 or here > 1 then return { 'bucket', string.format('%.0f', now) } end
local records, earlierRecords = KEYS[9 + here], KEYS[8 + here]

local function manyGet(key, fields, from, to)
  if to < from then return {} end
  if to - from < CHUNK then return redis.call('HMGET', key, unpack(fields, from, to)) end
  local out, n = {}, 0
  for i = from, to, CHUNK do
    local got = redis.call('HMGET', key, unpack(fields, i, math.min(i + CHUNK - 1, to)))
    for j = 1, #got do out[n + j] = got[j] end
    n = n + #got
  end
  return out
end

local function manySet(key, flat)
  for i = 1, #flat, CHUNK do redis.call('HSET', key, unpack(flat, i, math.min(i + CHUNK - 1, #flat))) end
end

-- Read the arguments. Of each lot it is kept where it begins; a table for each would cost more than all its checks.
local count, nKeys, nUpper, nLower, at = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9]), 10
local AUCTION, EXPECTED, PREVIOUS_HASH, RECORD, STAMP, UNTIL = 1, 2, 3, 4, 5, 6
local SEQUENCE, SNAPSHOT, DUE, PACKED = 7, 8, 9, 10
local EXPOSURES, HEAD = 14, 15
local begins, ids, auctionIds, auctionAt, present, twice = {}, {}, {}, {}, {}, false
-- Behind which index of the columns each lot's own begin; those of the next lot tell where they end.
local keys, uppers, lowers = { 0 }, { 0 }, { 0 }
for i = 1, count do
  local id, auction = ARGV[at], ARGV[at + AUCTION]
  begins[i], ids[i] = at, id
  keys[i + 1] = keys[i] + tonumber(ARGV[at + 11])
  uppers[i + 1] = uppers[i] + tonumber(ARGV[at + 12])
  lowers[i + 1] = lowers[i] + tonumber(ARGV[at + 13])
  at = at + HEAD + tonumber(ARGV[at + EXPOSURES]) * 2
  if not auctionAt[auction] then
    auctionIds[#auctionIds + 1] = auction
    auctionAt[auction] = #auctionIds
  end
  if present[id] then twice = true end
  present[id] = true
end
-- One less than where each column begins.
local KEY = at - 1
local VALUE = KEY + nKeys
local UPPER_FIELD = VALUE + nKeys
local UPPER = UPPER_FIELD + nUpper
local LOWER_FIELD = UPPER + nUpper
local LOWER = LOWER_FIELD + nLower

-- Read all that the checks need. A lot may come twice in one call: the second time it is as the first has left it.
local versions, snapshots = {}, {}
for i, version in ipairs(manyGet(KEYS[1], ids, 1, count)) do versions[ids[i]] = version end
local recordVersions = manyGet(KEYS[3], auctionIds, 1, #auctionIds)
local replays, anyReplay = {}, false
local function note(found)
  for i = 1, nKeys do
    if found[i] then replays[ARGV[KEY + i]], anyReplay = found[i], true end
  end
end
if nKeys > 0 then
  -- Most of the time there is no earlier bucket, and nothing to look for in it.
  if redis.call('EXISTS', earlierRecords) == 1 then note(manyGet(earlierRecords, ARGV, KEY + 1, VALUE)) end
  note(manyGet(records, ARGV, KEY + 1, VALUE))
end
local belowUpper = manyGet(KEYS[7], ARGV, UPPER_FIELD + 1, UPPER)
local aboveLower = manyGet(KEYS[7], ARGV, LOWER_FIELD + 1, LOWER)
-- Exposures that this call has moved, as they stand now.
local moved, anyMoved = {}, false

local function exposureOf(field, read)
  return anyMoved and moved[field] or tonumber(read or 0)
end

local function checkKeys(i)
  local hits = nil
  for k = KEY + keys[i] + 1, KEY + keys[i + 1] do
    local record = replays[ARGV[k]]
    if record then
      hits = hits or { 'replayed' }
      hits[#hits + 1] = ARGV[k]
      hits[#hits + 1] = record
    end
  end
  return hits
end

local function checkExposure(i)
  local wrong = nil
  local function add(field, actual)
    wrong = wrong or { 'exposure' }
    wrong[#wrong + 1] = field
    wrong[#wrong + 1] = string.format('%.0f', actual)
  end
  for k = uppers[i] + 1, uppers[i + 1] do
    -- Most bidders have no exposure, and no upper bound is below nothing.
    if belowUpper[k] or anyMoved then
      local field = ARGV[UPPER_FIELD + k]
      local actual = exposureOf(field, belowUpper[k])
      if actual > tonumber(ARGV[UPPER + k]) then add(field, actual) end
    end
  end
  for k = lowers[i] + 1, lowers[i + 1] do
    local field = ARGV[LOWER_FIELD + k]
    local actual = exposureOf(field, aboveLower[k])
    if actual < tonumber(ARGV[LOWER + k]) then add(field, actual) end
  end
  return wrong
end

local oldest = now - tonumber(ARGV[2])
local function check(i)
  local id, at = ids[i], begins[i]
  local previousHash = ARGV[at + PREVIOUS_HASH]
  local same = (versions[id] or '0') == ARGV[at + EXPECTED]
  if not same or previousHash ~= '' then
    local snapshot = snapshots[id] or redis.call('HGET', KEYS[2], id) or ''
    if not same or not string.find(snapshot, previousHash, 1, true) then return { 'conflict', snapshot } end
  end
  if (recordVersions[auctionAt[ARGV[at + AUCTION]]] or '0') ~= ARGV[at + RECORD] then return { 'record_changed' } end
  local stamp, untilUs = tonumber(ARGV[at + STAMP]), tonumber(ARGV[at + UNTIL])
  if stamp > now or stamp < oldest then return { 'clock' } end
  if untilUs and now >= untilUs then return { 'clock' } end
  return anyReplay and checkKeys(i) or checkExposure(i)
end

local out = { string.format('%.0f', now) }
local nSet, nEntries = 0, 0
local setVersions, setLots, setKeys, addDue, dropDue, packed, addExposure = {}, {}, {}, {}, {}, {}, {}
for i = 1, count do
  local refusal = check(i)
  out[i + 1] = refusal or 1
  if not refusal then
    local id, at = ids[i], begins[i]
    for k = keys[i] + 1, keys[i + 1] do
      local value = ARGV[VALUE + k]
      if value ~= '' then
        local field = ARGV[KEY + k]
        setKeys[nSet + 1], setKeys[nSet + 2] = field, value
        nSet = nSet + 2
        if twice then replays[field], anyReplay = value, true end
      end
    end
    for k = at + HEAD, at + HEAD - 2 + tonumber(ARGV[at + EXPOSURES]) * 2, 2 do
      addExposure[#addExposure + 1] = k
      -- Only lots that come behind ask where it has moved to.
      if i < count then
        local field = ARGV[k]
        if not moved[field] then moved[field] = tonumber(redis.call('HGET', KEYS[7], field) or 0) end
        moved[field], anyMoved = moved[field] + tonumber(ARGV[k + 1]), true
      end
    end
    local sequence, snapshot, due = ARGV[at + SEQUENCE], ARGV[at + SNAPSHOT], ARGV[at + DUE]
    if sequence ~= '' then
      if twice then versions[id], snapshots[id] = sequence, snapshot end
      local n = nEntries * 2
      setVersions[n + 1], setVersions[n + 2] = id, sequence
      setLots[n + 1], setLots[n + 2] = id, snapshot
      nEntries = nEntries + 1
      packed[nEntries] = ARGV[at + PACKED]
      if due == '' then dropDue[#dropDue + 1] = id
      else
        addDue[#addDue + 1] = due
        addDue[#addDue + 1] = id
      end
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
  manySet(records, setKeys)
  redis.call('EXPIRE', records, bucketSeconds * 2 + 3600, 'NX')
end
if #packed > 0 then
  local text = table.concat(packed, '\n')
  redis.call('XADD', KEYS[5], '*', 'e', text)
  redis.call('PUBLISH', 'rostrum:log', KEYS[5])
  redis.call('HSET', KEYS[6], 'bytes', string.format('%.0f', bytes + #text), 'clock', string.format('%.0f', now))
end
return out
