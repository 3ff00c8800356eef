-- A permit id as everybody sees it, from the bytes that Redis has.
local function hex(bytes)
  return (string.gsub(bytes, '.', function(byte)
    return string.format('%02x', string.byte(byte))
  end))
end
