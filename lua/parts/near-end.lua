-- How long before its time a waiter of a fair lock that declared `wait` ms shows that it lives; 0: it need not.
local function nearEnd(fair, wait)
  return math.min(fair.margin, math.floor(math.abs(wait) / 2))
end
