-- Takes permits of a semaphore for a process whose turn it is, all of them or none, or gives the process a place in the queue of processes.
-- The process has subscribed its channel before. It is its turn where no process that needs no more permits than there are has a place before
-- its own. Wire format section 10.
--
-- @include isWhole failure amount publishMessage clientOf readQueue dropPlace callPlace lengthenQueue listListener checkWait isTurnOf takePlace wantedOf firstFitting callFitting firstGiven
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @shared keep    how long the call's record is to live, in ms
-- @shared life    how long the queue lasts after the last call of a waiter, in ms, 1 to 10 years
-- @key   lock     the semaphore: available permits
-- @key   call     the call's record: the permits that it took and those that it left, or 'undone'
-- @key   waiting  the queue of processes, a sorted set: tickets by place, above 0; listeners below
-- @key   given    the places that were given permits, and whose processes have not come
-- @arg   place    the place of the call: <client uuid>:<permits to take, 10 digits><number of the call>
-- @arg   ticket   the ticket that the place had, for one that was dropped meanwhile; 0: a new one, behind all others
-- @arg   listens  1 where the process listens to the semaphore's channel, and may be a listener; else 0
-- @arg   channel  the semaphore's channel; that of a process is this, a colon, its client uuid
-- @reply granted  {1, permits left, 1 where the process is a listener, the place that was notified because permits are left, or that was given
--                 permits and has not come, else empty}
-- @reply busy     {0, permits available, '', ticket (0: the server refused to store a place), 1 where the process is a listener, 1 where a
--                 listener is missing, places (2: or more), the place whose process was notified or was given permits and has not come yet, else empty}
-- @reply undone   {2} the call was undone before it came
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: the call's record answers the second run; a place is added once, and goes with the grant

-- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function attempt(queue, call, place, ticket, listens, keep)
  local lock = queue.lock
  local client = checkWait(queue, place, 1, ticket)
  local wanted = wantedOf(place)
  if not isWhole(wanted, 1, 2147483647) or not isWhole(keep, 1, 600000) then
    error({err = 'ERR the number of permits or the life of the record is out of range'})
  end
  local done = redis.call('GET', call)
  local left = done and tonumber(string.match(done, ' (%d+)$'))
  if done and not left then
    return {2}
  end
  local available = amount(lock) or 0
  local listeners, first, _, second = readQueue(queue.waiting)
  local turn, lowest
  if not done and redis.call('HEXISTS', queue.given, place) == 1 then
    left = available
    -- In this order also a server that is out of memory lets it happen: it refuses the others as a first write only.
    redis.call('HDEL', queue.given, place)
    redis.call('SET', call, string.format('%.0f %.0f', wanted, math.max(left, 0)), 'PX', keep)
  elseif not done then
    turn, lowest = firstFitting(queue, available)
    if available >= wanted and isTurnOf(place, ticket, turn, lowest) then
      available = redis.call('DECRBY', lock, wanted)
      left = available
      redis.call('SET', call, string.format('%.0f %.0f', wanted, left), 'PX', keep)
    end
  end
  if left then
    redis.call('ZREM', queue.waiting, place)
    local isListener = listListener(queue, listeners, client, listens)
    -- Those that came back since have notified the first place alone, which was this one.
    local called = callFitting(queue, available) or firstGiven(queue)
    return {1, math.max(left, 0), isListener, called or ''}
  end
  if turn and available < wanted then
    -- There were more permits when its process was notified: they are for another one now.
    turn = callFitting(queue, available)
  end
  local own, isListener, isMissing, places = takePlace(queue, place, ticket, listens, listeners, first, second)
  return {0, available, '', own, isListener, isMissing, places, own > 0 and (turn or firstGiven(queue)) or ''}
end

local replies = {}
local publish = ARGV[1]
local keep = tonumber(ARGV[2])
local life = tonumber(ARGV[3])
for i = 1, #KEYS / 4 do
  local lock = KEYS[(i - 1) * 4 + 1]
  local call = KEYS[(i - 1) * 4 + 2]
  local waiting = KEYS[(i - 1) * 4 + 3]
  local given = KEYS[(i - 1) * 4 + 4]
  local base = (i - 1) * 4 + 3
  local place = ARGV[base + 1]
  local ticket = tonumber(ARGV[base + 2])
  local listens = ARGV[base + 3] == '1'
  local channel = ARGV[base + 4]
  local queue = {lock = lock, waiting = waiting, given = given, publish = publish, channel = channel, life = life, soon = 0}
  local ran, reply = pcall(attempt, queue, call, place, ticket, listens, keep)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
