-- The holds of a read/write lock, and their leases.

-- The key of a read hold: it lives for that hold's lease. Holder ids are opaque, whatever colons they have.
local function holdKey(lock, holder, n)
  local base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'
  return base .. ':' .. holder .. ':rwlock_timeout:' .. n
end

-- One holder that is in the way: the writer, or any one of the readers; '' where there is none.
local function rwHolder(lock, writer)
  if writer then
    return writer
  end
  for _, field in ipairs(redis.call('HRANDFIELD', lock, 2)) do
    if field ~= 'mode' then
      return field
    end
  end
  return ''
end

-- The mode of a read/write lock: 'read', 'write', or false for a free one; and the writer in mode 'write', else false.
-- The writer's field is the longest that ends in ':write': its own read holds, under its bare id, may end so as well.
-- A key that is something else is refused, so this stands before the first write.
local function rwMode(lock)
  local mode = redis.call('HGET', lock, 'mode')
  local writer = false
  if mode == 'write' then
    for _, field in ipairs(redis.call('HKEYS', lock)) do
      if string.sub(field, -6) == ':write' and #field - 6 > #(writer or '') then
        writer = string.sub(field, 1, -7)
      end
    end
  elseif mode ~= 'read' and redis.call('EXISTS', lock) == 1 then
    error({err = 'WRONGTYPE not a read/write lock'})
  end
  return mode, writer
end

-- How often a holder reads. Beside a writer only the writer itself can; what else has its name is a field of that writer.
local function readCount(lock, holder, mode, writer)
  if mode == 'read' or writer == holder then
    return tonumber(redis.call('HGET', lock, holder)) or 0
  end
  return 0
end

-- How often a holder writes.
local function writeCount(lock, holder, writer)
  return writer == holder and tonumber(redis.call('HGET', lock, holder .. ':write')) or 0
end

-- What is left of the longest of a holder's first `count` read holds in ms; 0 when none of them lives.
local function longestHold(lock, holder, count)
  local longest = 0
  for n = 1, count do
    longest = math.max(longest, redis.call('PTTL', holdKey(lock, holder, n)))
  end
  return longest
end

-- What is left of the longest read hold of all holders in ms; 0 when none lives. Fields of writers have no hold keys.
local function longestRead(lock)
  local longest = 0
  local fields = redis.call('HGETALL', lock)
  for at = 1, #fields, 2 do
    longest = math.max(longest, longestHold(lock, fields[at], tonumber(fields[at + 1]) or 0))
  end
  return longest
end

-- Whether one of a few read holds, taken at random, lasts as long as the lock's hash, but for 50 ms. Where all began together,
-- as they do after a writer, one of two does; to take ten at once would be most of what a release costs.
local function lastsAsLong(lock)
  local present = redis.call('PTTL', lock)
  for _, picks in ipairs({'-2', '-10'}) do
    local some = present > 0 and redis.call('HRANDFIELD', lock, picks, 'WITHVALUES') or {}
    for at = 1, #some, 2 do
      local left = longestHold(lock, some[at], tonumber(some[at + 1]) or 0)
      if left > 0 and math.abs(left - present) <= 50 then
        return true
      end
    end
  end
  return false
end

-- Raises the ttl of the hash to at least `lease` ms. One without a ttl gets no less than its longest read hold has (D17).
local function raiseLease(lock, lease)
  local left = redis.call('PTTL', lock)
  if left == -1 then
    lease = math.max(lease, longestRead(lock))
  end
  if left < lease then
    redis.call('PEXPIRE', lock, lease)
    left = lease
  end
  return left
end

-- Ends the read holds `from` to `to` of a holder, the top one first.
local function dropHolds(lock, holder, from, to)
  for n = to, from, -1 do
    redis.call('DEL', holdKey(lock, holder, n))
  end
end

-- Ends the hold keys of a holder that does not read: a forced unlock by Java, or a lock that ended before them, leaves them behind.
local function dropOrphans(lock, holder)
  local n = 1
  while redis.call('DEL', holdKey(lock, holder, n)) == 1 do
    n = n + 1
  end
end

-- Deletes a read/write lock with the keys of all its read holds.
local function freeLock(lock)
  local fields = redis.call('HGETALL', lock)
  for at = 1, #fields, 2 do
    dropHolds(lock, fields[at], 1, tonumber(fields[at + 1]) or 0)
  end
  redis.call('DEL', lock)
end
