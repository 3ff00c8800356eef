-- Publishes a number of permits on a semaphore's channel: 1 to 2147483647 only, since Java raises at other payloads (wire format section 10).
local function publishPermits(publish, channel, permits)
  if permits <= 0 then
    return 0
  end
  return publishMessage(publish, channel, string.format('%.0f', math.min(permits, 2147483647)))
end
