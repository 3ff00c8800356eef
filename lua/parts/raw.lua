-- A permit id as Redis has it, 16 bytes, from the 32 hex characters in which everybody else sees it.
local function raw(permit)
  if #permit ~= 32 or string.find(permit, '[^0-9a-f]') then
    error({err = 'ERR a permit id is 32 hex characters in lower case'})
  end
  return (string.gsub(permit, '..', function(pair)
    return string.char(tonumber(pair, 16))
  end))
end
