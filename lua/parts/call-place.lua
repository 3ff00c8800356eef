-- Notifies the process of a place that it is its turn. Returns the clients that were reached; -1 where publishing was refused.
local function callPlace(queue, place)
  local client, number = string.match(place, '^(.*):(%d+)$')
  return publishMessage(queue.publish, queue.channel .. ':' .. client, 'come ' .. number)
end
