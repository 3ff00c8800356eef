-- Stores a fencing token and runs commands, in one step; a token that is older than one that has passed here changes nothing.
-- The commands are not undone when one of them fails: the error names it, those before it have run, those behind it have not.
--
-- @include fence failure
-- @key   newest   the newest token that passed, decimal text
-- @keys  targets  one for each command: the key that follows its name
-- @arg   token    the token of the writer, decimal text
-- @args  words    for each command its name, how many arguments follow its key, and these
-- @reply passed   {1, the replies of the commands}
-- @reply stale    {0, the newest token}
-- @repeat safe: an equal token passes, so what it does twice is what the commands do twice
local newest = KEYS[1]
local targets = {unpack(KEYS, 2)}
local token = ARGV[1]
local words = {unpack(ARGV, 2)}

local place = ''
local function attempt()
  if fence(newest, token) == 0 then
    return {0, redis.call('GET', newest)}
  end
  local replies = {}
  local at = 1
  for i, target in ipairs(targets) do
    local last = at + 1 + tonumber(words[at + 1])
    place = ' (command ' .. i .. ' of ' .. #targets .. ', ' .. words[at] .. ')'
    replies[i] = redis.call(words[at], target, unpack(words, at + 2, last))
    at = last + 1
  end
  return {1, replies}
end

local ran, reply = pcall(attempt)
return ran and reply or redis.error_reply(failure(reply, newest)[2] .. place)
