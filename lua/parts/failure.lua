-- The reply for an operation that raised an error: its message with the code in front, and the type of the key.
-- Redis 7 raises a table, Redis 6.2 a text with its place in front: '@user_script: 12: -OOM command not allowed'.
local function failure(problem, lock)
  local message = type(problem) == 'table' and problem.err or tostring(problem)
  message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
  return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
