-- Reads the count of a latch. Writes nothing.
--
-- @include isWhole failure amount
-- @batch
-- @key   latch  the latch: what is still to be counted down
-- @reply state  {1, the count, 0 when it is open}
-- @reply error  {-1, message with its code in front, type of the key}
-- @repeat safe: it only reads
local function attempt(latch)
  return {1, math.max(amount(latch) or 0, 0)}
end

local replies = {}
for i = 1, #KEYS do
  local latch = KEYS[i]
  local ran, reply = pcall(attempt, latch)
  replies[i] = ran and reply or failure(reply, latch)
end
return replies
