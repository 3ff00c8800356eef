-- Notes that a run of an interval starts: its mark is its last start, and what is queued came before. A grant that is given again began before.
-- A run that was asked for by hand is none of the schedule, however often it has to be run again.
local function noteStart(job, answer)
  if answer[1] == 1 and not job.running and not (job.offer and job.offer.by) then
    if job.at > (job.mark or 0) then
      local period = job.asker.period
      moveMark(job.record, job.at, period and job.at + period)
    end
    dropQueued(job)
  end
  return answer
end
