/** The text of `--help`. */
export const USAGE = `Usage: nestjs-distributed-lock <command> [options]

  doctor [redis-url]            checks whether a Redis is fit for locks, and acquires one
  locks, ls                     lists all locks
  show <name>                   shows one lock: its holder, its lease, its waiters
  unlock <name>                 releases a lock of any holder, after a confirmation
  jobs                          lists all jobs: their state, the next tick, the last run
  job <name>                    shows one job, and its newest runs
  runs <job>                    lists the newest runs of a job
  pause <job>                   pauses a job on all instances
  resume <job>                  resumes it
  run-now <job>                 runs a job once, now, on one of its instances
  forget <job>                  deletes the record of a job that no longer exists, after a confirmation
  instances                     lists the instances that are alive: their holds, their jobs
  top                           shows jobs and locks, live in the terminal
  board                         serves the dashboard of jobs, locks and instances on this machine
  run <name> -- <command> …     holds a lock while a command runs

Options of all commands
  --redis <url>      the address of Redis, or of one node of a cluster (default: the environment variable REDIS_URL)
  --prefix <text>    the namePrefix of the application (default "lock:")
  --timeout <time>   the timeout of the connection, and of each reply (default 3s)
  --pubsub <mode>    auto (default), sharded or classic: the channels of a cluster, as in the application
  --name <name>      a name that begins with "-": --name=-a, or write it after " -- "
  --json             prints one line of JSON
  --help, --version

doctor   --strict          a warning fails as well
ls, locks --limit <count>   the maximum number of locks in the list (default 1000)
unlock   --yes             without a confirmation
jobs     --limit <count>   the maximum number of jobs in the list (default 1000)
job, runs --limit <count>   the maximum number of records of the job (default 1000)
run-now  --wait <time>     how long to wait for an instance that starts the run (default 10s)
forget   --yes             without a confirmation
         --force           also a job that is running
board    --port <port>     the port on 127.0.0.1 (default 4242; 0: any free port)
         --read-only       without pause, resume, run now, forget and unlock
run      --wait <time>     how long to wait for the lock (default 0; "forever")
         --lease <time>    a fixed lease, which is not renewed: the command must end within it
         --kind <kind>     reentrant (default), fair, read, write or fenced
         --grace <time>    the time between SIGTERM and SIGKILL when the lease is lost (default 5s)

Examples
  nestjs-distributed-lock jobs --redis redis://localhost:6379
  nestjs-distributed-lock pause nightly-report
  nestjs-distributed-lock locks --prefix lock:order: --json
  nestjs-distributed-lock board --port 4242
  nestjs-distributed-lock run backup --wait 1m -- pg_dump shop

Exit codes: 0 success · 1 doctor found a problem, there is no such job, or nothing was done · 2 wrong usage · 69 Redis is unavailable or refused
run: the exit code of the command · 75 another holder has the lock · 76 the lease was lost · 126, 127 the command cannot be run
`;
