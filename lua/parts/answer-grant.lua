-- The reply to an asker that is granted: {1, store's time, token, attempt, tick, rows}; for a request that the run has to serve when it
-- begins, followed by its id and the instant until which it waits.
local function answerGrant(job, token, attempt, tick, request)
  local reply = {1, job.at, token, attempt, tick, job.rows}
  if request then
    reply[7], reply[8] = request.id, tonumber(request['until']) or 0
  end
  return reply
end
