-- Writes down what no instance will run any more: a tick that was handed over too long ago, a queued one that a newer one has passed.
local function closeStale(job)
  if #job.handed > 0 and not job.offer then
    for _, handed in ipairs(job.handed) do
      noteTick(job, handed.tick, 'missed', 'it was handed over, and no instance took it within the grace')
    end
    job.handed = {}
    writeHandoffs(job.record, job.handed)
  end
  if job.queued and job.mark and job.queued < job.mark then
    dropQueued(job)
  end
end
