-- Notes what a waiter of ours declares, as `declaredWait` reads it.
local function declareWait(fair, holder, wait, lease)
  local text = string.format('%d', wait)
  if lease and lease > 0 then
    text = string.format('%d:%d', wait, lease)
  end
  redis.call('HSET', fair.waits, holder, text)
end
