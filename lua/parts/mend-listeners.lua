-- Takes dead ones of its `listeners` out of a queue of processes. Where one of the two is missing it calls a process that is alive and no
-- listener, the last in the queue, because it waits longest, and takes dead ones out before it; it becomes one by its own next call, when it
-- listens. Returns how many clients listen to the lock's channel beside the listeners, the first place, which was `first` before, and one
-- listener that is alive. If PUBSUB is refused: 1, and no listener.
local function mendListeners(queue, listeners, first)
  local asked = {queue.channel}
  local candidates = {}
  for _, listener in ipairs(listeners) do
    asked[#asked + 1] = queue.channel .. ':' .. string.sub(listener, 10)
  end
  if #listeners < 2 then
    local last = redis.call('ZRANGE', queue.waiting, -3, -1)
    for at = #last, 1, -1 do
      local client = clientOf(last[at])
      if client and 'listener:' .. client ~= listeners[1] then
        asked[#asked + 1] = queue.channel .. ':' .. client
        candidates[#candidates + 1] = last[at]
      end
    end
  end
  local counts = redis.pcall('PUBSUB', queue.publish == 'SPUBLISH' and 'SHARDNUMSUB' or 'NUMSUB', unpack(asked))
  if counts.err then
    return 1, first
  end
  local others = counts[2]
  local alive
  for at = 1, #listeners do
    if counts[at * 2 + 2] > 0 then
      others = others - 1
      alive = alive or listeners[at]
    else
      redis.call('ZREM', queue.waiting, listeners[at])
    end
  end
  for at = 1, #candidates do
    local index = (#listeners + at) * 2 + 1
    if counts[index + 1] > 0 then
      publishMessage(queue.publish, counts[index], 'listen')
      break
    end
    redis.call('ZREM', queue.waiting, candidates[at])
    if candidates[at] == first then
      first = firstPlace(queue.waiting)
    end
  end
  return math.max(others, 0), first, alive
end
