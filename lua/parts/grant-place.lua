-- Grants a lock to the process of a place, if it is free, or that process has it already. The place ends. A lease that may end before the
-- listeners check is announced to them. A process that has come for a lock that it was given gets just the lease that it asks for.
local function grantPlace(queue, listeners, holder, lease, isFree)
  local granted = 1
  if isFree then
    redis.call('HSET', queue.lock, holder, '1')
  else
    granted = take(queue.lock, holder, lease, 1)
  end
  local hasCome = redis.call('ZREM', queue.waiting, holder) == 1
  if isFree or hasCome then
    redis.call('PEXPIRE', queue.lock, lease)
  end
  if lease < queue.soon then
    for _, listener in ipairs(listeners) do
      publishMessage(queue.publish, queue.channel .. ':' .. string.sub(listener, 10), 'ends ' .. string.format('%.0f', lease))
    end
  end
  return granted == 1 and 1 or granted[2]
end
