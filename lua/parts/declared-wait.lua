-- What a waiter of ours has declared: its wait in ms, below 0 once it was asked whether it lives; and where a release may make it
-- the holder at once, with which lease in ms. Nothing for a waiter of Java.
local function declaredWait(fair, holder)
  local text = redis.call('HGET', fair.waits, holder)
  if text then
    local wait, lease = string.match(text, '^(%-?%d+):?(%d*)$')
    return tonumber(wait), tonumber(lease)
  end
end
