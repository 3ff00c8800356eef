-- Grants a lock to a process whose turn it is, answering {1, hold count, whether it is a listener}; else gives it a place in the queue of
-- processes, answering {0, ttl, one holder, ticket, whether it is a listener, whether one is missing, places, the place that was notified and
-- has not come}.
local function waitForTurn(queue, holder, lease, ticket, listens)
  if not isWhole(lease, 1, 315360000000) or not isWhole(queue.life, 1, 315360000000) or not isWhole(queue.soon, 0, 315360000000)
      or not isWhole(ticket, 0, 9007199254740991) then
    error({err = 'ERR a lease, a time or a ticket is out of range'})
  end
  local client = clientOf(holder)
  if not client then
    error({err = 'ERR the holder id has no client'})
  end
  local lock = queue.lock
  local waiting = queue.waiting
  local current = redis.call('HRANDFIELD', lock)
  local listeners, first, lowest, second = readQueue(waiting)
  local isTurn = not first or first == holder or (ticket > 0 and ticket < lowest)
  if current == holder or (not current and isTurn) then
    local count = grantPlace(queue, listeners, holder, lease, not current)
    return {1, count, (listListener(queue, listeners, client, listens))}
  end
  local own = ticket
  if own == 0 then
    local last = redis.call('ZRANGE', waiting, -1, -1, 'WITHSCORES')
    own = math.max(tonumber(last[2] or 0), 0) + 1
  end
  -- A server that is out of memory refuses it: the caller asks again later.
  local added = redis.pcall('ZADD', waiting, 'NX', own, holder)
  if type(added) ~= 'number' then
    return {0, redis.call('PTTL', lock), current or '', 0, 0, 0, 0, ''}
  end
  if added == 0 and ticket == 0 then
    -- The answer that gave it the place was lost.
    own = tonumber(redis.call('ZSCORE', waiting, holder))
  end
  lengthenQueue(queue)
  local isListener, isMissing = listListener(queue, listeners, client, listens)
  local places = math.min((first and 1 or 0) + (second and 1 or 0) + added, 2)
  -- A holder that still has its place was given the lock by a release or `pass`, and has not come for it.
  local called = not current and first or ((current == first or current == second) and current)
  return {0, redis.call('PTTL', lock), current or '', own, isListener, isMissing, places, called or ''}
end
