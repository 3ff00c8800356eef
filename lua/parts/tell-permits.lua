-- Tells a semaphore's channel of permits: of 1 to 2147483647 only, since Java raises at other payloads (wire format section 10).
local function tellPermits(publish, channel, permits)
  if permits <= 0 then
    return 0
  end
  return tell(publish, channel, string.format('%.0f', math.min(permits, 2147483647)))
end
