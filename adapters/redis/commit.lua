-- Commits the batches of all lots of one shard that are ready: every check for every lot first, then only writes that
-- cannot fail, because a script does not roll back. A lot that fails a check is left out with the reason;
-- the others commit.
--
-- KEYS  1 ver  lot → sequence            2 lot  lot → snapshot        3 aver auction → record version
--       4 due  lots by next moment (us)  5 log  the shard's stream    6 meta epoch, bytes, clock, bucket
--       7 exp  auction|bidder → cents    8-10 idempotency records of the time buckets n-1, n, n+1
--       and where keys of events ('@' before the event's id) are claimed here: 11-13 id → lot, of the buckets n-1, n, n+1
--       and last, where a lot closes with others: auction|group → the group's note
-- ARGV  1 epoch  2 oldest stamp (us)  3 max bytes in the log  4 n  5 length of a time bucket (s)  6 stamp (us)
--       7 '1' where a lot comes twice, else ''  8 how many lots  9 auctions  10 keys  11 upper bounds of exposure
--       12 lower bounds of exposure  13 changes of exposure  14 silence that is an outage (us)
--       15 the packed entries of those lots that have one, a line break between two  16 keys and the records to keep under
--       them in turn, as JSON, '' where there are none  17 until when each lot's batch is valid (us), as a JSON list, 0 for
--       good  18 the first of these moments, '' where there is none  19 seconds that claims are kept at least
--       20 how far the caller knows the log to have come ('' it does not)  21 where lots close with others, as JSON for each
--       lot: 0, or the group's field, the note that was assumed, the next or '', the lots that are due where it changes,
--       and whether those are that the index has not got;
--       then in columns:
--       all lots; all auctions; the record version that each auction is expected at, '|' and the last outage behind it;
--       of each lot: its auction (a number from 1), expected sequence, new sequence or '', snapshot, its plan
--       'keys,upper bounds,lower bounds,changes' that are its own, and where one of them is unlike most lots' behind a
--       comma each: due ('' none, '=' as it is), stamp ('' the call's), expected hash of its last entry ('' any);
--       all keys; the record to keep under each, or ''; all upper bounds' fields; the bounds; all lower bounds' fields;
--       the bounds; all changes' fields; the changes
-- Columns, because a slice of the arguments goes into a command as it is.
-- One file: Redis runs a script as one step, so that nothing comes between its checks and its writes, and a script loads
-- no other. All of it changes for one reason: what a commit checks and writes.
-- Returns {'epoch'}, {'older'}, {'full'}, {'silent'} or {'bucket', clock}, or {clock, result of each lot, the id of the log's
-- message if there is one}: 1 committed, or {kind, …} with the kind of CommitResult.
-- Read for each lot many times: a local is found without a look at the table of globals.
local ARGV, KEYS, call, tonumber = ARGV, KEYS, redis.call, tonumber
local byte, sub, MINUS, AT = string.byte, string.sub, 45, 64
local CHUNK, OUTAGE = 4000, tonumber(ARGV[14])
local t = call('TIME')
local meta = call('HMGET', KEYS[6], 'epoch', 'bytes', 'clock', 'bucket', 'beat', 'outage', 'at')
if meta[1] ~= ARGV[1] then return { 'epoch' } end
-- A log that ends before what was acknowledged is an older copy of itself.
if meta[7] ~= ARGV[20] and ARGV[20] ~= '' then
  local ms, n = string.match(meta[7] or '0-0', '^(%d+)-(%d+)$')
  local markMs, markN = string.match(ARGV[20], '^(%d+)-(%d+)$')
  ms, markMs = tonumber(ms), tonumber(markMs)
  if ms < markMs or ms == markMs and tonumber(n) < tonumber(markN) then return { 'older' } end
end
local now = tonumber(t[1]) * 1000000 + tonumber(t[2])
local last = tonumber(meta[3] or 0)
if last > now then now = last end
-- After a silence heartbeat.lua comes first: it notes the outage that the batches are to be judged by (rule 16).
if meta[5] and now - math.max(tonumber(meta[5]), last) > OUTAGE then return { 'silent' } end
local bytes = tonumber(meta[2] or 0)
if bytes > tonumber(ARGV[3]) then return { 'full' } end
-- All keys are read before anything is written, so that a wrong type shows; these are otherwise only written.
call('HLEN', KEYS[2]); call('ZCARD', KEYS[4]); call('XLEN', KEYS[5])

local bucketSeconds = tonumber(ARGV[5])
local bucket = math.floor(now / 1000000 / bucketSeconds)
local here = bucket - tonumber(ARGV[4])
if here < 0 or here > 1 then return { 'bucket', string.format('%d', now) } end
local records, earlierRecords = KEYS[9 + here], KEYS[8 + here]

local function manyGet(key, from, to)
  if to < from then return {} end
  if to - from < CHUNK then return call('HMGET', key, unpack(ARGV, from, to)) end
  local out, n = {}, 0
  for i = from, to, CHUNK do
    local got = call('HMGET', key, unpack(ARGV, i, math.min(i + CHUNK - 1, to)))
    for j = 1, #got do out[n + j] = got[j] end
    n = n + #got
  end
  return out
end

local function inChunks(command, key, flat)
  for i = 1, #flat, CHUNK do call(command, key, unpack(flat, i, math.min(i + CHUNK - 1, #flat))) end
end

-- One less than where each column begins.
local count, twice = tonumber(ARGV[8]), ARGV[7] ~= ''
local nAuctions, nKeys, nUpper = tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11])
local nLower, nChanges = tonumber(ARGV[12]), tonumber(ARGV[13])
local ENTRIES, RECORDS, UNTIL, CLAIMED_SECONDS, NOTES, ID = 15, 16, 17, 19, 21, 21
local AUCTION_ID = ID + count
local RECORD_VERSION = AUCTION_ID + nAuctions
local HEADS = RECORD_VERSION + nAuctions
local HEAD = 5
local AUCTION, EXPECTED, SEQUENCE, SNAPSHOT, PLAN = 1, 2, 3, 4, 5
local KEY = HEADS + count * HEAD
local VALUE = KEY + nKeys
local UPPER_FIELD = VALUE + nKeys
local UPPER = UPPER_FIELD + nUpper
local LOWER_FIELD = UPPER + nUpper
local LOWER = LOWER_FIELD + nLower
local CHANGE_FIELD = LOWER + nLower
local CHANGE = CHANGE_FIELD + nChanges

-- Read all that the checks need. A lot may come twice in one call: the second time it is as the first has left it.
local versions = manyGet(KEYS[1], ID + 1, AUCTION_ID)
local recordVersions = manyGet(KEYS[3], AUCTION_ID + 1, RECORD_VERSION)
local sameRecord, outage = {}, meta[6] and '|' .. meta[6] or ''
for i = 1, nAuctions do sameRecord[tostring(i)] = (recordVersions[i] or '0') .. outage == ARGV[RECORD_VERSION + i] end
local replays, anyReplay = {}, false
local function note(found)
  for i = 1, nKeys do
    if found[i] then replays[ARGV[KEY + i]], anyReplay = found[i], true end
  end
end
if nKeys > 0 then
  -- Most of the time there is no earlier bucket, and nothing to find in it.
  if call('EXISTS', earlierRecords) == 1 then note(manyGet(earlierRecords, KEY + 1, VALUE)) end
  note(manyGet(records, KEY + 1, VALUE))
end
-- Whose the ids of events are: a lot's, or, of a journal that was rebuilt, some lot's of a shard.
local notes = ARGV[NOTES] ~= '' and cjson.decode(ARGV[NOTES])
local notesKey, presentNotes = notes and KEYS[#KEYS], {}
local owners, idOf = KEYS[notes and 12 or 11] and {}, {}
local setOwners, thisShard = {}, 'shard ' .. tonumber(sub(KEYS[1], 3, 4))
if owners then
  local ids = {}
  for k = KEY + 1, VALUE do
    if byte(ARGV[k]) == AT then
      local id = sub(ARGV[k], 2)
      idOf[k], ids[#ids + 1] = id, id
    end
  end
  for at = 11, 13 do
    if call('EXISTS', KEYS[at]) == 1 then
      for from = 1, #ids, CHUNK do
        local found = call('HMGET', KEYS[at], unpack(ids, from, math.min(from + CHUNK - 1, #ids)))
        for j = 1, #found do
          if found[j] then owners[ids[from + j - 1]] = found[j] end
        end
      end
    end
  end
end
local uppers = manyGet(KEYS[7], UPPER_FIELD + 1, UPPER)
local lowers = manyGet(KEYS[7], LOWER_FIELD + 1, LOWER)
local exposures = manyGet(KEYS[7], CHANGE_FIELD + 1, CHANGE)
-- Exposures that this call has changed, as they are now; and lots that it has changed, where one comes twice.
local changed, anyChanged = {}, false
local newVersions, newSnapshots = {}, {}

local function exposureOf(field, read)
  return anyChanged and changed[field] or tonumber(read or 0)
end

local function checkKeys(from, to)
  local hits = nil
  for k = KEY + from, KEY + to do
    local record = replays[ARGV[k]]
    if record then
      hits = hits or { 'replayed' }
      hits[#hits + 1] = ARGV[k]
      hits[#hits + 1] = record
    end
  end
  return hits
end

-- An event that has come for another lot counts as replayed, with a record that no command's fingerprint matches.
local function checkOwners(lot, from, to)
  local hits = nil
  for k = KEY + from, KEY + to do
    local owner = idOf[k] and owners[idOf[k]]
    if owner and owner ~= lot and owner ~= thisShard then
      hits = hits or { 'replayed' }
      hits[#hits + 1] = ARGV[k]
      hits[#hits + 1] = 'of another lot\n'
    end
  end
  return hits
end

local function claim(lot, from, to)
  for k = KEY + from, KEY + to do
    local id = idOf[k]
    if id and not owners[id] then
      owners[id] = lot
      setOwners[#setOwners + 1], setOwners[#setOwners + 2] = id, lot
    end
  end
end

local function checkExposure(upperFrom, upperTo, lowerFrom, lowerTo)
  local wrong = nil
  local function add(field, actual)
    wrong = wrong or { 'exposure' }
    wrong[#wrong + 1] = field
    wrong[#wrong + 1] = string.format('%d', actual)
  end
  for k = upperFrom, upperTo do
    -- Most bidders have no exposure, and no upper bound is below nothing; one of more digits is above it.
    local field, read, bound = ARGV[UPPER_FIELD + k], uppers[k], ARGV[UPPER + k]
    local own = anyChanged and changed[field]
    if own or read and (#read >= #bound or byte(bound) == MINUS) then
      local actual = own or tonumber(read)
      if actual > tonumber(bound) then add(field, actual) end
    end
  end
  for k = lowerFrom, lowerTo do
    local field = ARGV[LOWER_FIELD + k]
    local actual = exposureOf(field, lowers[k])
    if actual < tonumber(ARGV[LOWER + k]) then add(field, actual) end
  end
  return wrong
end

local oldest, callStamp = now - tonumber(ARGV[2]), tonumber(ARGV[6])
local freshCall = callStamp <= now and callStamp >= oldest
-- Read only where the first of them has come: reading a number costs as much as handing over a text.
local firstUntil = tonumber(ARGV[18])
local ends = firstUntil and now >= firstUntil and cjson.decode(ARGV[UNTIL])

local function isFresh(stamp)
  if stamp == '' then return freshCall end
  stamp = tonumber(stamp)
  return stamp <= now and stamp >= oldest
end

-- The note of a group as it is now: of several lots of one, each is decided on what the one before it leaves.
local function noteNow(field)
  local text = presentNotes[field]
  if not text then
    text = call('HGET', notesKey, field) or ''
    presentNotes[field] = text
  end
  return text
end

local function check(i, head, own)
  local id = ARGV[ID + i]
  local version = twice and newVersions[id] or versions[i] or '0'
  local same, previousHash = version == ARGV[head + EXPECTED], own.previousHash
  if not same or previousHash ~= '' then
    local snapshot = twice and newSnapshots[id] or call('HGET', KEYS[2], id) or ''
    if not same or not string.find(snapshot, previousHash, 1, true) then return { 'conflict', snapshot } end
  end
  if not sameRecord[ARGV[head + AUCTION]] then return { 'record_changed' } end
  local note = notes and notes[i]
  if note and note ~= 0 then
    local text = noteNow(note[1])
    if text ~= note[2] then return { 'note_changed', text } end
  end
  if not isFresh(own.stamp) then return { 'clock' } end
  if ends and ends[i] > 0 and now >= ends[i] then return { 'clock' } end
end

local out = { string.format('%d', now) }
local nSet, nEntries, nDue, anyLeftOut = 0, 0, 0, false
local setVersions, setLots, setRecords, setDue, dropDue, setNotes, wake = {}, {}, {}, {}, {}, {}, {}
-- How many of each column the lots before have had, and what each plan means.
local k, u, l, c, plans = 0, 0, 0, 0, {}
for i = 1, count do
  local head = HEADS + (i - 1) * HEAD
  local text = ARGV[head + PLAN]
  local own = plans[text]
  if not own then
    local keys, upper, lower, changes, rest = string.match(text, '^(%d+),(%d+),(%d+),(%d+)(.*)$')
    local due, stamp, hash = string.match(rest, '^,([^,]*),([^,]*),([^,]*)$')
    own = { tonumber(keys), tonumber(upper), tonumber(lower), tonumber(changes) }
    own.due, own.stamp, own.previousHash = due or '=', stamp or '', hash or ''
    plans[text] = own
  end
  local k0, u0, l0, c0 = k, u, l, c
  k, u, l, c = k + own[1], u + own[2], l + own[3], c + own[4]
  local refusal = check(i, head, own) or owners and checkOwners(ARGV[ID + i], k0 + 1, k)
    or anyReplay and checkKeys(k0 + 1, k) or checkExposure(u0 + 1, u, l0 + 1, l)
  out[i + 1] = refusal or 1
  if refusal then anyLeftOut = true
  else
    local id = ARGV[ID + i]
    if owners then claim(id, k0 + 1, k) end
    for at = k0 + 1, k do
      local value = ARGV[VALUE + at]
      if value ~= '' then
        local field = ARGV[KEY + at]
        setRecords[nSet + 1], setRecords[nSet + 2] = field, value
        nSet = nSet + 2
        if twice then replays[field], anyReplay = value, true end
      end
    end
    for at = c0 + 1, c do
      local field = ARGV[CHANGE_FIELD + at]
      changed[field] = (changed[field] or tonumber(exposures[at] or 0)) + tonumber(ARGV[CHANGE + at])
      anyChanged = true
    end
    local sequence = ARGV[head + SEQUENCE]
    if sequence ~= '' then
      local snapshot, due = ARGV[head + SNAPSHOT], own.due
      if twice then newVersions[id], newSnapshots[id] = sequence, snapshot end
      local n = nEntries * 2
      setVersions[n + 1], setVersions[n + 2] = id, sequence
      setLots[n + 1], setLots[n + 2] = id, snapshot
      nEntries = nEntries + 1
      if due == '' then dropDue[#dropDue + 1] = id
      elseif due ~= '=' then
        setDue[nDue + 1], setDue[nDue + 2] = due, id
        nDue = nDue + 2
      end
    end
    local note = notes and notes[i]
    if note and note ~= 0 and note[3] ~= '' then
      presentNotes[note[1]] = note[3]
      setNotes[#setNotes + 1], setNotes[#setNotes + 2] = note[1], note[3]
      for _, other in ipairs(note[4]) do
        if note[5] then
          wake[#wake + 1], wake[#wake + 2] = out[1], other
        elseif call('ZSCORE', KEYS[4], other) then
          setDue[nDue + 1], setDue[nDue + 2] = out[1], other
          nDue = nDue + 2
        end
      end
    end
  end
end

-- The log's text. Redis hashes every string that a script makes or is handed, byte by byte: so the entries come as one,
-- which is taken apart, three lines for each, only where a lot was left out.
local text = ARGV[ENTRIES]
if anyLeftOut and text ~= '' then
  local kept, i = {}, 0
  for entry in string.gmatch(text, '([^\n]*\n[^\n]*\n[^\n]*)\n?') do
    repeat i = i + 1 until ARGV[HEADS + (i - 1) * HEAD + SEQUENCE] ~= ''
    if out[i + 1] == 1 then kept[#kept + 1] = entry end
  end
  text = table.concat(kept, '\n')
end

-- From here on nothing can fail.
inChunks('HSET', KEYS[1], setVersions)
inChunks('HSET', KEYS[2], setLots)
inChunks('ZADD', KEYS[4], setDue)
inChunks('ZREM', KEYS[4], dropDue)
-- After those that leave: a batch of theirs in this very call did not know yet that they are woken.
inChunks('ZADD', KEYS[4], wake)
if notes then inChunks('HSET', notesKey, setNotes) end
if anyChanged then
  local setExposures, dropExposures = {}, {}
  for field, cents in pairs(changed) do
    if cents == 0 then dropExposures[#dropExposures + 1] = field
    else
      setExposures[#setExposures + 1] = field
      setExposures[#setExposures + 1] = string.format('%d', cents)
    end
  end
  inChunks('HSET', KEYS[7], setExposures)
  inChunks('HDEL', KEYS[7], dropExposures)
end
if #setOwners > 0 then
  inChunks('HSET', KEYS[12], setOwners)
  call('EXPIRE', KEYS[12], ARGV[CLAIMED_SECONDS], 'NX')
end
if nSet > 0 then
  inChunks('HSET', records, setRecords)
  -- The first records of a bucket say how long it stays.
  if meta[4] ~= tostring(bucket) then
    call('EXPIRE', records, bucketSeconds * 2 + 3600, 'NX')
    call('HSET', KEYS[6], 'bucket', bucket)
  end
end
if nEntries > 0 or nSet > 0 then
  local kept, at = '', nil
  -- Answers go the way of the entries: whoever has these knows the keys too, though Redis may lose everything.
  if nSet > 0 then
    kept = anyLeftOut and cjson.encode(setRecords) or ARGV[RECORDS]
    at = call('XADD', KEYS[5], '*', 'e', text, 'k', kept)
  else
    at = call('XADD', KEYS[5], '*', 'e', text)
  end
  call('PUBLISH', 'rostrum:log', KEYS[5])
  local newBytes = string.format('%d', bytes + #text + #kept)
  if nEntries > 0 then call('HSET', KEYS[6], 'bytes', newBytes, 'at', at, 'clock', string.format('%d', now))
  else call('HSET', KEYS[6], 'bytes', newBytes, 'at', at) end
  out[count + 2] = at
end
return out
