-- The client uuid that a holder id begins with; nil for what is no holder id.
local function clientOf(holder)
  return string.match(holder, '^(.*):%d+$')
end
