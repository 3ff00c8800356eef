-- The mode of a read/write lock: 'read', 'write', or false for a free one; and the writer in mode 'write', else false.
-- The writer's field is the longest that ends in ':write': its own read holds, under its bare id, may end so as well.
-- A key that is something else is refused, so this stands before the first write.
local function rwMode(lock)
  local mode = redis.call('HGET', lock, 'mode')
  local writer = false
  if mode == 'write' then
    for _, field in ipairs(redis.call('HKEYS', lock)) do
      if string.sub(field, -6) == ':write' and #field - 6 > #(writer or '') then
        writer = string.sub(field, 1, -7)
      end
    end
  elseif mode ~= 'read' and redis.call('EXISTS', lock) == 1 then
    error({err = 'WRONGTYPE not a read/write lock'})
  end
  return mode, writer
end
