-- Reads the beginning of a queue of processes in one command. Returns its listeners, of which there are two at most and which have scores
-- below 0, the first place with its ticket, and the second place; nil for places that there are not.
local function readQueue(waiting)
  local members = redis.call('ZRANGE', waiting, 0, 3, 'WITHSCORES')
  local listeners = {}
  local at = 1
  while members[at] and string.sub(members[at + 1], 1, 1) == '-' do
    listeners[#listeners + 1] = members[at]
    at = at + 2
  end
  return listeners, members[at], tonumber(members[at + 1]), members[at + 2]
end
