-- How often a holder reads. Beside a writer only the writer itself can; what else has its name is a field of that writer.
local function readCount(lock, holder, mode, writer)
  if mode == 'read' or writer == holder then
    return tonumber(redis.call('HGET', lock, holder)) or 0
  end
  return 0
end
