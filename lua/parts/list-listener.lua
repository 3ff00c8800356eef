-- Lists a process as a listener of a queue where one of the two is missing and it listens to the lock's channel, and takes it off where it
-- listens no more. Returns 1 where it is one from now on, and 1 where one is missing; else 0. The queue lasts for its `life` then.
local function listListener(queue, listeners, client, listens)
  local listener = 'listener:' .. client
  local isListener = listeners[1] == listener or listeners[2] == listener
  if isListener and not listens then
    redis.call('ZREM', queue.waiting, listener)
    return 0, 1
  end
  if not isListener and listens and #listeners < 2 then
    redis.call('ZADD', queue.waiting, -1, listener)
    lengthenQueue(queue)
    return 1, #listeners == 0 and 1 or 0
  end
  return isListener and 1 or 0, #listeners < 2 and 1 or 0
end
