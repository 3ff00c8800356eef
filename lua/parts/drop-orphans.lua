-- Ends the hold keys of a holder that does not read: a forced unlock by Java, or a lock that ended before them, leaves them behind.
local function dropOrphans(lock, holder)
  local n = 1
  while redis.call('DEL', holdKey(lock, holder, n)) == 1 do
    n = n + 1
  end
end
