-- One holder that is in the way: the writer, or any one of the readers; '' where there is none.
local function rwHolder(lock, writer)
  if writer then
    return writer
  end
  for _, field in ipairs(redis.call('HRANDFIELD', lock, 2)) do
    if field ~= 'mode' then
      return field
    end
  end
  return ''
end
