/** The text of `--help`. */
export const USAGE = `Usage: nestjs-distributed-lock <command> [options]

  doctor [redis-url]            looks whether a Redis is fit for locks, and takes one
  ls                            the locks that are there
  show <name>                   one lock: who has it, for how long, who waits
  unlock <name>                 frees a lock whoever has it; asks before
  runs <job>                    the newest runs of a scheduled job
  run <name> -- <command> …     holds a lock while a command runs

Options of all
  --redis <url>      where Redis is; by default the environment's REDIS_URL. One node of a cluster stands for all of it
  --prefix <text>    the application's namePrefix (default "lock:")
  --timeout <time>   for the connection and for each answer (default 3s)
  --name <name>      the name, where it begins with "-": --name=-a, or behind " -- "
  --json             one line of JSON
  --help, --version

doctor   --strict          warnings fail, too
ls       --limit <count>   the most locks that are listed (default 1000)
unlock   --yes             does not ask
run      --wait <time>     how long to wait for the lock (default 0; "forever")
         --lease <time>    a lease that is not renewed: the longest that the command may take
         --kind <kind>     reentrant (default), fair, read, write or fenced
         --grace <time>    between SIGTERM and SIGKILL when the lease is lost (default 5s)

Exit codes: 0 done · 1 the doctor has found something, or runs no such job · 2 wrong usage · 69 Redis is away or refuses
run: the command's own · 75 somebody else has the lock · 76 the lease was lost · 126, 127 the command cannot be run
`;
