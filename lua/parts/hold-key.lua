-- The key of a read hold: it lives for that hold's lease. Holder ids are opaque, whatever colons they have.
local function holdKey(lock, holder, n)
  local base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'
  return base .. ':' .. holder .. ':rwlock_timeout:' .. n
end
