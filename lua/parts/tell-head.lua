-- Tells the head of a fair lock's queue to ask again. Answers how many clients that reached: 0 where nobody waits.
local function tellHead(fair)
  local head = redis.call('LINDEX', fair.queue, 0)
  return head and tell(fair.publish, fair.channel .. ':' .. head, '0') or 0
end
