-- Publishes on a channel, and returns the clients that were reached. What it announces has been done by now: a channel that this user may not
-- publish on (-1) must not look like a failed call.
local function publishMessage(publish, channel, payload)
  local reached = redis.pcall(publish, channel, payload)
  return type(reached) == 'number' and reached or -1
end
