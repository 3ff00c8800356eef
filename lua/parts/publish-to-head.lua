-- Notifies the head of a fair lock's queue, so that it asks again. Returns how many clients that reached: 0 without a waiter.
local function publishToHead(fair)
  local head = redis.call('LINDEX', fair.queue, 0)
  return head and publishMessage(fair.publish, fair.channel .. ':' .. head, '0') or 0
end
