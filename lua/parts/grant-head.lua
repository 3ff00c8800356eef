-- Makes the head of a fair lock's queue the holder of the lock that was freed just now, and notifies it: one round trip less than
-- its coming to take it. Only a head of ours that declared with which lease; it begins when it has renewed that one, so that a
-- message may be late, or lie. Returns the clients that were reached; nil where nothing was granted.
-- Only one that listens to this very server: what PUBLISH answers leaves out the listeners elsewhere, through the bus of a cluster
-- or a replica, and counts patterns, whose listeners take no locks. A user who may not ask for that grants nothing.
-- A head of the same client as `from`, which released it, need not listen: the reply names it. It has the lease `nextLease` where that is
-- not 0, for it begins with no other one. Answers 0 and the head then.
local function grantHead(fair, from)
  local head = redis.call('LINDEX', fair.queue, 0)
  local wait, lease
  if head then
    wait, lease = declaredWait(fair, head)
  end
  if not (wait and wait > 0 and isWhole(lease, 1, 60000)) then
    return nil
  end
  if fair.nextLease > 0 and string.match(head, '^(.*):') == string.match(from, '^(.*):') then
    local mustNotify = dequeueHead(fair, head, wait, fair.nextLease)
    take(fair.lock, head, fair.nextLease, 1)
    if mustNotify then
      publishToHead(fair)
    end
    return 0, head
  end
  local channel = fair.channel .. ':' .. head
  local listeners = redis.pcall('PUBSUB', fair.publish == 'SPUBLISH' and 'SHARDNUMSUB' or 'NUMSUB', channel)
  if listeners.err or listeners[2] < 1 then
    return nil
  end
  local reached = publishMessage(fair.publish, channel, '2')
  if reached < 1 then
    return nil
  end
  local mustNotify = dequeueHead(fair, head, wait, lease)
  take(fair.lock, head, lease, 1)
  if mustNotify then
    publishToHead(fair)
  end
  return reached
end
