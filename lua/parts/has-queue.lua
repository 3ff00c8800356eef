-- Whether processes have a place at a lock, or listen for others. A key of another type, which a stranger has put there, is no queue.
local function hasQueue(queue)
  local size = queue.waiting ~= queue.lock and redis.pcall('ZCARD', queue.waiting)
  return type(size) == 'number' and size > 0
end
