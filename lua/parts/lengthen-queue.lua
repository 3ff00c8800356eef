-- A queue of processes outlives the last call of a waiter by its `life`, which never becomes shorter.
local function lengthenQueue(queue)
  if redis.call('PTTL', queue.waiting) < queue.life then
    redis.call('PEXPIRE', queue.waiting, queue.life)
  end
end
