-- What the call of every script needs: the check of an argument, and its replies.

-- Whether an argument is a whole number in a range. A text that was no number came out of tonumber as nil.
local function isWhole(number, least, most)
  return number and number >= least and number <= most and number % 1 == 0
end

-- The reply for an operation that raised an error: its message with the code in front, and the type of the key.
-- Redis 7 raises a table, Redis 6.2 a text with its place in front: '@user_script: 12: -OOM command not allowed'.
local function failure(problem, lock)
  local message = type(problem) == 'table' and problem.err or tostring(problem)
  message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
  return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end

-- The replies of a call, or one 1 in their place where all of them are 1: most of them are, and each costs the client its reading.
local function oneForAll(replies)
  for _, reply in ipairs(replies) do
    if reply ~= 1 then
      return replies
    end
  end
  return 1
end
