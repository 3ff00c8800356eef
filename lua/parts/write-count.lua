-- How often a holder writes.
local function writeCount(lock, holder, writer)
  return writer == holder and tonumber(redis.call('HGET', lock, holder .. ':write')) or 0
end
