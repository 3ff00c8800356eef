-- Gives a lock a lease of `lease` ms, whatever it has. Answers whether that is shorter than before: then its waiters, which sleep for the
-- lease that they know, have to be notified. What is left stays where it is longer by no more than `spare` ms.
local function setLease(lock, lease, spare)
  local left = redis.call('PTTL', lock)
  if left > lease and left <= lease + spare then
    lease = left
  end
  redis.call('PEXPIRE', lock, lease)
  return left > lease or left == -1
end
