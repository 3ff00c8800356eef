-- Ends the life of a call's record: its reply has come, so the call is not repeated any more.
--
-- @include isWhole failure
-- @batch
-- @key   call   the call's record
-- @arg   keep   how long the record stays in ms, where a copy of the call may still be on its way; 0 deletes it now
-- @reply done   {1}
-- @reply error  {-1, message with its code in front, type of the key}
-- @repeat safe: what is gone stays gone

-- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function attempt(call, keep)
  if not isWhole(keep, 0, 600000) then
    error({err = 'ERR the time to keep a record is out of range'})
  end
  if keep > 0 then
    redis.call('PEXPIRE', call, keep)
  else
    redis.call('DEL', call)
  end
  return {1}
end

local replies = {}
for i = 1, #KEYS do
  local base = i - 1
  local call = KEYS[i]
  local keep = tonumber(ARGV[base + 1])
  local ran, reply = pcall(attempt, call, keep)
  replies[i] = ran and reply or failure(reply, call)
end
return replies
