-- Ends the read holds `from` to `to` of a holder, the top one first.
local function dropHolds(lock, holder, from, to)
  for n = to, from, -1 do
    redis.call('DEL', holdKey(lock, holder, n))
  end
end
