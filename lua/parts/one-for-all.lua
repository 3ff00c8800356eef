-- The replies of a call, or one 1 in their place where all of them are 1: most of them are, and each costs the client its reading.
local function oneForAll(replies)
  for _, reply in ipairs(replies) do
    if reply ~= 1 then
      return replies
    end
  end
  return 1
end
