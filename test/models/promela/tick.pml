/*
 * The ticks of one job: claim, finish and hand-over, while processes die, leases end, and any call or reply may get lost.
 *
 * Time is a countdown for leases; instants and the grace of a hand-over pass at any moment, so a period may be longer or shorter
 * than a lease. An instance may claim any tick at any time: its clock says nothing. Holder ids are used again once nothing refers
 * to them, so the number of claims has no bound. Left out: renewals (hold.pml), runs that were asked for by hand, overlap 'queue'.
 * Each line that printf writes is one transition: test/models/promela.spec.ts plays those of scripts against the Lua.
 */
#define RETRY 0      /* onCrash: 0 'skip', 1 'retry' */
#define LEASE 2      /* units */
#define ATTEMPTS 2   /* what would begin a later attempt is not explored */
#define TICKS 2
#define FLEET 2
#define IDS (FLEET + 2)

mtype = { idle, asking, running, ending, returning, freeing };    /* phases of an instance */
mtype = { claim, again, finish, release };                        /* scripts */
mtype = { granted, taken, early, stale, overlapped, released, refused, gone }; /* their replies */
mtype = { none, completed, handed, returned, crashed, missed };   /* how a run ended; `none`: no row, or no outcome */
mtype = { off, sent, done };                                      /* a call: not there, on its way, answered */

/* Redis: the job's lock, its record (mark, run under way, hand-off), and its rows by tick and attempt (0: not run). */
byte now, owner, ttl, mark, runner, runTick, runAttempt, offTick, offAttempt;
bool offOld;                                     /* the hand-off has waited for longer than the grace */
#define PLACE(t, a) (((t) - 1) * (ATTEMPTS + 1) + (a))
mtype rows[TICKS * (ATTEMPTS + 1)] = none;
#define row(t, a) rows[PLACE(t, a)]

/* Each instance: what it does; the one call that may be on its way, with arguments and reply; its local deadline. */
mtype phase[FLEET] = idle;
mtype wire[FLEET] = off, script[FLEET], outcome[FLEET] = none, reply[FLEET];
byte holder[FLEET], wanted[FLEET], tick[FLEET], attempt[FLEET], left[FLEET], age[FLEET];
bool unsure[FLEET];                              /* a claim under this id got no answer: Redis may have granted it */

/* What the invariants need to know, and no instance does. */
byte highest, openTick, openAttempt;             /* the newest tick with a verdict; the last run that was granted and is not closed */
bool begun[TICKS * (ATTEMPTS + 1)];
bool ownerDead;                                  /* the process that got the lock died, or gave it up at its local deadline */

#define NAME ('A' + i)
#define believes(i) (phase[i] == running && left[i] > 0)
#define refers(id) (holder[0] == id || holder[1] == id || owner == id || runner == id)
#define died (runner != 0 && owner != runner)
#define SHOW printf(" | now=%d mark=%d lock=%d ttl=%d run=%d:%d.%d handed=%d.%d rows=%e,%e,%e,%e,%e,%e\n", \
  now, mark, owner, ttl, runner, runTick, runAttempt, offTick, offAttempt, rows[0], rows[1], rows[2], rows[3], rows[4], rows[5])

inline free() { owner = 0; ttl = 0; ownerDead = false }
inline noRun() { runner = 0; runTick = 0; runAttempt = 0 }
inline noHandoff() { offTick = 0; offAttempt = 0; offOld = false }
inline write(t, a, how) {                                        /* addRow() of lua/parts/job-record.lua */
  row(t, a) = how; begun[PLACE(t, a)] = true;             /* closed: it must not begin any more */
  if :: openTick == (t) && openAttempt == (a) -> openTick = 0; openAttempt = 0 :: else fi
}
inline closeDead() {                                             /* closeDead() of lua/parts/job-record.lua */
  if :: died -> write(runTick, runAttempt, crashed); noRun() :: else fi
}
inline closeStale() {                                            /* closeStale() of lua/parts/job-record.lua; there was no offer */
  if :: offTick != 0 && (!RETRY && offOld) -> write(offTick, 0, missed); noHandoff() :: else fi
}
inline grantRun(t, a) {                                          /* grantRun() of lua/parts/job-grants.lua */
  tick[i] = t; attempt[i] = a;
  closeDead();
  if :: openTick != 0 -> printf("\nVIOLATED: the last run is not recorded\n"); assert(false) :: else fi;
  owner = holder[i]; ttl = LEASE; ownerDead = (phase[i] == idle); runner = holder[i]; runTick = tick[i]; runAttempt = attempt[i];
  openTick = tick[i]; openAttempt = attempt[i];
  reply[i] = granted
}
/* What comes before anything newer; openJob() of lua/parts/job-record.lua, grantFirst() of job-grants.lua. */
#define asks(i) (script[i] == claim || script[i] == again)
#define tooLate(i) (!(repeated) && owner == 0 && (offersDead && runAttempt == ATTEMPTS || offersHandoff && offAttempt > ATTEMPTS))
#define repeated (runner != 0 && owner == runner && runner == holder[i])
#define offersDead (RETRY && died)
#define offersHandoff (!offersDead && offTick != 0 && (RETRY || !offOld))
inline grantFirst() {
  if
  :: repeated -> ttl = LEASE; tick[i] = runTick; attempt[i] = runAttempt; reply[i] = granted
  :: !repeated && owner != 0 -> reply[i] = taken
  :: !repeated && owner == 0 && offersDead -> grantRun(runTick, runAttempt + 1)
  :: !repeated && owner == 0 && offersHandoff -> tick[i] = offTick; attempt[i] = offAttempt; noHandoff(); grantRun(tick[i], attempt[i])
  fi
}
inline claimTick() {                                             /* lua/tick/claim.lua, mode 'cron' */
  if
  :: repeated || offersDead || offersHandoff -> grantFirst()
  :: else -> if
    :: now < wanted[i] -> reply[i] = early
    :: now > wanted[i] -> reply[i] = stale
    :: now == wanted[i] && wanted[i] <= mark -> reply[i] = taken
    :: now == wanted[i] && wanted[i] > mark ->
      if :: wanted[i] <= highest -> printf("\nVIOLATED: an instant gets a second verdict\n"); assert(false) :: else fi;
      highest = wanted[i];
      closeDead(); closeStale();
      if :: mark < wanted[i] - 1 -> write(wanted[i] - 1, 0, missed) :: else fi;
      mark = wanted[i];
      if
      :: owner == 0 -> grantRun(wanted[i], 1)
      :: else -> write(wanted[i], 0, overlapped); reply[i] = overlapped
      fi
    fi
  fi
}
inline askAgain() {                                              /* lua/tick/again.lua */
  if
  :: repeated || offersDead || offersHandoff -> grantFirst()
  :: else -> closeStale(); reply[i] = taken
  fi
}
/* The run's token is its tick and attempt; 'returned' may be sent without one, by a claimant that never had a reply. */
#define isRun (runner == holder[i] && (tick[i] == 0 || runTick == tick[i] && runAttempt == attempt[i]))
#define wasStored (tick[i] != 0 && (row(tick[i], attempt[i]) == completed || row(tick[i], attempt[i]) == handed))
inline finishRun() {                                             /* lua/tick/finish.lua */
  if
  :: owner == holder[i] && isRun ->
    if
    :: outcome[i] == returned ->
      offTick = runTick; offAttempt = runAttempt;
      if :: openTick == runTick -> openTick = 0; openAttempt = 0 :: else fi
    :: outcome[i] == handed -> write(runTick, runAttempt, handed); offTick = runTick; offAttempt = runAttempt + 1
    :: outcome[i] == completed -> write(runTick, runAttempt, completed)
    fi;
    noRun(); free(); reply[i] = released
  :: owner == holder[i] && !isRun && runner != holder[i] -> free(); reply[i] = released
  :: owner != holder[i] && wasStored -> reply[i] = released
  :: else -> reply[i] = refused
  fi
}

inline execute() {
  printf("script %e holder=%d wanted=%d run=%d.%d outcome=%e", script[i], holder[i], wanted[i], tick[i], attempt[i], outcome[i]);
  if
  :: script[i] == claim -> claimTick()
  :: script[i] == again -> askAgain()
  :: script[i] == finish -> finishRun()
  :: script[i] == release ->                                     /* lua/reentrant/release.lua */
    if :: owner == holder[i] -> free(); reply[i] = released :: else -> reply[i] = gone fi
  fi;
  wire[i] = done;
  printf(" -> %e %d.%d", reply[i], tick[i], attempt[i]); SHOW;
  /* No other difference matters to its receiver. */
  if :: phase[i] != asking -> reply[i] = 0 :: phase[i] == asking && reply[i] != granted -> reply[i] = taken :: else fi;
  i = 0
}

active proctype Store() {
  byte i;
end:
  do
  :: atomic { wire[0] == sent && !(asks(0) && tooLate(0)) -> i = 0; execute() }
  :: atomic { wire[1] == sent && !(asks(1) && tooLate(1)) -> i = 1; execute() }
  od
}

active proctype Time() {
  byte i;
end:
  do
  :: atomic { ttl > 0 || left[0] + left[1] > 0 || age[0] < LEASE || age[1] < LEASE ->
      if :: ttl > 0 -> ttl--; if :: ttl == 0 -> free() :: else fi :: else fi;
      for (i : 0 .. FLEET - 1) {
        if :: left[i] > 0 -> left[i]-- :: else fi;
        if :: phase[i] == asking && age[i] < LEASE -> age[i]++ :: else fi
      }
      i = 0; printf("pass"); SHOW }
  :: atomic { now < TICKS -> now++; printf("instant"); SHOW }
  :: atomic { !RETRY && offTick != 0 && !offOld -> offOld = true; printf("grace"); SHOW }
  od
}

inline send(what) { script[i] = what; wire[i] = sent }
inline abandon() { if :: owner == holder[i] -> ownerDead = true :: else fi }
inline forgetRun() { tick[i] = 0; attempt[i] = 0 }
inline stop() { forgetRun(); phase[i] = idle; holder[i] = 0; wanted[i] = 0; left[i] = 0; age[i] = 0; unsure[i] = false; outcome[i] = none }
inline endWith(how) { phase[i] = ending; outcome[i] = how; send(finish) }
/* ticks/tick.runner.ts, settle(): what the claim may have been granted is given back, without a token */
inline giveUp() {
  phase[i] = returning; wanted[i] = 0; age[i] = 0; unsure[i] = false; outcome[i] = returned;
  send(finish); printf("%c gives up\n", NAME)
}
inline newHolder() {
  id = 1; do :: refers(id) -> id++ :: else -> break od; assert(id <= IDS);
  holder[i] = id; id = 0; phase[i] = asking; age[i] = 0
}
/* ticks/claimed.tick.ts: the work begins, unless the instance shuts down; then the tick is given back. */
inline begin() {
  left[i] = LEASE - age[i]; age[i] = 0; unsure[i] = false; wanted[i] = 0;
  if
  :: phase[i] = running;
    if :: begun[PLACE(tick[i], attempt[i])] -> printf("VIOLATED: an attempt begins twice\n"); assert(false) :: else fi;
    if :: !RETRY && attempt[i] > 1 -> printf("VIOLATED: a tick begins twice under skip\n"); assert(false) :: else fi;
    begun[PLACE(tick[i], attempt[i])] = true;
    printf("%c begins %d.%d\n", NAME, tick[i], attempt[i])
  :: endWith(returned); printf("%c gives %d.%d back\n", NAME, tick[i], attempt[i])
  fi
}

proctype Instance(byte i) {
  byte id;
end:
  do
  /* ticks/tick.runner.ts, claim(): a new holder id for each claim */
  :: atomic { phase[i] == idle && wire[i] == off ->
      newHolder(); select(id : 1 .. TICKS); wanted[i] = id; id = 0; send(claim);
      printf("new holder=%d by=%c, for tick %d\n", holder[i], NAME, wanted[i]) }
  :: atomic { phase[i] == idle && wire[i] == off ->
      newHolder(); send(again); printf("new holder=%d by=%c, for what waits\n", holder[i], NAME) }
  /* A reply arrives. */
  :: atomic { wire[i] == done ->
      wire[i] = off; printf("%c receives its reply\n", NAME);
      if
      /* acquire/late.grant.ts: no work begins with a lease of which more than half is over; asked again under the same id */
      :: phase[i] == asking && reply[i] == granted && age[i] * 2 > LEASE ->
        unsure[i] = true; age[i] = 0; forgetRun(); wire[i] = sent
      :: phase[i] == asking && reply[i] == granted && age[i] * 2 <= LEASE -> begin()
      :: phase[i] == asking && reply[i] != granted && !unsure[i] -> stop()
      /* An earlier call of this claim may have been granted. */
      :: phase[i] == asking && reply[i] != granted && unsure[i] -> forgetRun(); giveUp()
      /* A run that has ended, or a reply to a process that died. */
      :: phase[i] != asking -> stop()
      fi;
      reply[i] = 0; if :: wire[i] == off -> script[i] = 0 :: else fi }
  /* A call or its reply is lost, with its connection. */
  :: atomic { wire[i] != off -> wire[i] = off; reply[i] = 0; printf("%c is cut off\n", NAME);
      if
      :: phase[i] == asking -> unsure[i] = true; age[i] = 0; forgetRun();
        if
        /* ticks/tick.runner.ts: the same claim again, under the same holder id */
        :: wire[i] = sent
        :: giveUp()
        fi
      :: phase[i] == ending ->
        if
        /* ticks/claimed.tick.ts, finish(): repeated until the lease is over */
        :: left[i] > 0 -> wire[i] = sent
        /* local/lock.release.ts: after that the lock is freed in the background, and the outcome is not stored */
        :: phase[i] = freeing; left[i] = 0; forgetRun(); outcome[i] = none; send(release)
        fi
      /* core/background.release.ts: repeated until there is an answer */
      :: phase[i] == returning || phase[i] == freeing -> wire[i] = sent
      :: phase[i] == idle -> script[i] = 0; stop()
      fi }
  /* ticks/claimed.tick.ts: the work has ended; or the shutdown has stopped it, and 'retry' lets another instance go on */
  :: atomic { believes(i) -> printf("%c ends its run\n", NAME); if :: endWith(completed) :: RETRY -> endWith(handed) fi }
  /* holds/hold.ts, checkDeadlines(): the local deadline has come, and nothing is sent */
  :: atomic { phase[i] == running && left[i] == 0 -> abandon(); stop(); printf("%c loses its run\n", NAME) }
  /* The process dies, and another one takes its place. What was sent runs all the same, or is lost. */
  :: atomic { phase[i] != idle -> printf("%c dies\n", NAME); abandon();
      if
      :: wire[i] != sent -> wire[i] = off; reply[i] = 0; script[i] = 0; stop()
      :: wire[i] == sent -> phase[i] = idle; left[i] = 0; age[i] = 0; unsure[i] = false
      fi }
  od
}

#define has(t, a) (row(t, a) != none || runner != 0 && runTick == (t) && runAttempt == (a) || offTick == (t) && offAttempt == (a))
#define recorded(t) (has(t, 0) || has(t, 1) || has(t, 2))
#define goesOn(t, a) (row(t, a) != crashed && row(t, a) != handed || has(t, (a) + 1))

/* What holds in every state. */
active proctype Invariants() {
end:
  if
  :: atomic { believes(0) && believes(1) ->
      printf("VIOLATED: I1: two runs at the same time\n"); assert(false) }
  :: atomic { mark >= 1 && !recorded(1) || mark >= 2 && !recorded(2) ->
      printf("VIOLATED: a tick is lost\n"); assert(false) }
  :: atomic { RETRY && !(goesOn(1, 1) && goesOn(2, 1)) ->
      printf("VIOLATED: a run that was broken off is not run again\n"); assert(false) }
  :: atomic { phase[0] == idle && phase[1] == idle && wire[0] == off && wire[1] == off && owner != 0 && !ownerDead ->
      printf("VIOLATED: I5: something is left behind\n"); assert(false) }
  fi
}

init { atomic { run Instance(0); run Instance(1) } }
