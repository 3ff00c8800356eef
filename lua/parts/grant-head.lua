-- Makes the head of a fair lock's queue the holder of the lock that was freed just now, and tells it so: one round trip less than
-- its coming to take it. Only a head of ours that declared how, and that hears it; it is told which of its questions the grant
-- comes after, so that its lease counts from there. Answers the clients that heard it; nil where nothing was granted.
local function grantHead(fair)
  local head = redis.call('LINDEX', fair.queue, 0)
  local wait, lease, question
  if head then
    wait, lease, question = declaredWait(fair, head)
  end
  if not (wait and wait > 0 and question and whole(lease, 1, 60000)) then
    return nil
  end
  local reached = tell(fair.publish, fair.channel .. ':' .. head, string.format('-%d', question))
  if reached < 1 then
    return nil
  end
  local news = stepForward(fair, head, wait, lease)
  take(fair.lock, head, lease, 1)
  if news then
    tellHead(fair)
  end
  return reached
end
