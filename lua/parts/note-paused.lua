-- Notes a tick of a paused job in its pause: one row stands for all of them when it ends. before: the mark until now; counted: the ticks behind it up to this one, nil where that is unknown. An older
-- version of the library moves the mark alone, so the count holds where it goes up to the mark. previous: the instant before the tick, nil where that is unknown.
local function notePaused(job, tick, before, counted, previous)
  local pause = rowOf(job.paused)
  if not tonumber(pause.mark) then
    -- What the row of the pause begins with is known only now.
    pause.mark = previous or tick - 1
    before, counted = pause.mark, 1
  end
  if counted and (tonumber(pause.upTo) or tonumber(pause.mark)) == before then
    pause.count = (tonumber(pause.count) or 0) + counted
    pause.upTo = tick
  end
  redis.call('HSET', job.record, 'paused', cjson.encode(pause))
end
