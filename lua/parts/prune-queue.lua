-- Takes heads that will not come off the queue of a fair lock, and notifies them, in case that they live after all:
-- one without a time (D5); a waiter of ours whose process is silent, with all that it added to the times behind it; one past its time.
-- A waiter of ours near its time is asked once whether it lives, and gets the time to answer: a wait below 0 says that it was asked.
-- Returns whether the head must be notified. Without a queue nothing of it is left.
local function pruneQueue(fair)
  local mustNotify = false
  -- What silent waiters had added to the times behind them. It goes off at once for all of them: a host that dies may leave thousands.
  local off = 0
  local head = redis.call('LINDEX', fair.queue, 0)
  while head do
    local time = tonumber(redis.call('ZSCORE', fair.timeout, head))
    local wait, lease, question = declaredWait(fair, head)
    local alive = wait and tonumber(redis.call('ZSCORE', fair.alive, string.match(head, '^[^:]*'))) or 0
    local near = wait and nearEnd(fair, wait) or 0
    local left = time and time - off - fair.now
    if not time then
      dropWaiter(fair, head)
    elseif wait and alive <= fair.now then
      dropWaiter(fair, head)
      off = off + math.abs(wait)
    elseif wait and wait > 0 and near > 0 and left <= near then
      declareWait(fair, head, -wait, lease, question)
      -- Behind it, too; what dropped ones had added goes off with that.
      moveTimes(fair, head, true, fair.now + near - time)
      return true
    elseif left <= 0 then
      dropWaiter(fair, head)
    else
      break
    end
    publishMessage(fair.publish, fair.channel .. ':' .. head, '0')
    mustNotify = true
    head = redis.call('LINDEX', fair.queue, 0)
  end
  if head and off > 0 then
    moveTimes(fair, head, true, -off)
  end
  if not head and redis.call('EXISTS', fair.timeout, fair.waits, fair.alive) > 0 then
    for _, waiter in ipairs(redis.call('HKEYS', fair.waits)) do
      publishMessage(fair.publish, fair.channel .. ':' .. waiter, '0')
    end
    redis.call('DEL', fair.timeout, fair.waits, fair.alive)
  elseif redis.call('EXISTS', fair.alive) > redis.call('EXISTS', fair.waits) then
    redis.call('DEL', fair.alive)
  end
  return mustNotify
end
