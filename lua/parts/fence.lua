-- Lets a writer pass whose fencing token is not older than the newest one that passed at this key, and stores the token there.
-- Answers 1, or 0 when a newer one has passed. Tokens are compared as decimal text: numbers are exact up to 2^53 only.
-- @public
local function fence(key, token)
  local function check(text)
    if type(text) ~= 'string' or text ~= '0' and not string.match(text, '^[1-9]%d*$') then
      error('ERR a fencing token is a whole number as decimal text, and so is what a fence has: ' .. key, 0)
    end
  end
  check(token)
  local newest = redis.call('GET', key)
  if newest then
    check(newest)
    if #token < #newest or #token == #newest and token < newest then
      return 0
    end
  end
  redis.call('SET', key, token)
  return 1
end
