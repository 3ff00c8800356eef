-- Notifies the first process of a queue that is alive: one whose channel has no subscriber loses its place. Returns its place; nil without
-- one, and where publishing was refused, which says nothing of the process. `place` is the first one, where that is known.
local function callFirst(queue, place)
  place = place or firstPlace(queue.waiting)
  while place do
    local reached = callPlace(queue, place)
    if reached ~= 0 then
      return reached > 0 and place or nil
    end
    dropPlace(queue, place)
    place = firstPlace(queue.waiting)
  end
  return nil
end
