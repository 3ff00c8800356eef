-- Takes the place of a process that does not come out of a queue of processes, and its listener with it.
local function dropPlace(queue, place)
  redis.call('ZREM', queue.waiting, place, 'listener:' .. clientOf(place))
end
