-- Frees a lock whichever holder has it, and notifies the process whose turn it is, and one waiter of each client.
-- Wire format section 2, force unlock.
--
-- @include failure publishMessage hasQueue clientOf firstPlace dropPlace callPlace callFirst
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @key   lock     the lock's hash
-- @key   waiting  the queue of processes, a sorted set: tickets by holder id, above 0; listeners below; the lock again where there is no queue
-- @arg   channel  the lock's channel; that of a process is this, a colon, its client uuid
-- @reply released {1, clients that PUBLISH reached (-1: publishing was refused)}
-- @reply free     {0} there was nothing to free
-- @reply error    {-1, message with its code in front, type of the key} also for a key that is no lock, which is left alone
-- @repeat unsafe: a second run may free the lock of the next holder
local function attempt(queue)
  local lock = queue.lock
  local kind = redis.call('TYPE', lock).ok
  if kind == 'none' then
    return {0}
  end
  if kind ~= 'hash' then
    error({err = 'WRONGTYPE not a lock'})
  end
  redis.call('DEL', lock)
  if hasQueue(queue) then
    callFirst(queue)
  end
  return {1, publishMessage(queue.publish, queue.channel, '0')}
end

local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 2 do
  local lock = KEYS[(i - 1) * 2 + 1]
  local waiting = KEYS[(i - 1) * 2 + 2]
  local base = i
  local channel = ARGV[base + 1]
  local queue = {lock = lock, waiting = waiting, publish = publish, channel = channel}
  local ran, reply = pcall(attempt, queue)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
