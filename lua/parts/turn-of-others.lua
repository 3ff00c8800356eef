-- Whether a release is left to the others that listen to a lock's channel, Redisson's threads and older versions of this library: every
-- second one is. The score of a listener says whose turn the last one was.
local function turnOfOthers(waiting, listener)
  local isTheirs = redis.call('ZSCORE', waiting, listener) == '-1'
  redis.call('ZADD', waiting, isTheirs and -2 or -1, listener)
  return isTheirs
end
