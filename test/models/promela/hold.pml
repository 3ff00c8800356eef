/*
 * One lock and two instances: renewal against release against forced unlock, while any call or reply may get lost.
 *
 * Time is a countdown: `pass` is one unit of it, for the store and for every instance. An instance may do nothing for any
 * number of units: a stalled process needs no transition of its own. Holder ids are used again once nothing refers to them
 * any more, so the number of acquisitions has no bound. Hold counts are always 1, and the safety margin is 0.
 * Each line that printf writes is one transition: test/models/promela.spec.ts plays those of scripts against the Lua.
 */
#define LEASE 4      /* units; a renewal is due after one: here after a quarter of the lease, not after a third */
#define IDS 4        /* each instance uses one; another one may own the lock, or be in a late call */
#define LATE_CALLS 0 /* calls of a cut connection that may run after those of the next connection */

mtype = { idle, asking, holding, freeing };                       /* phases of an instance */
mtype = { acquire, renew, release };                              /* scripts */
mtype = { granted, busy, alive, gone, released };                 /* their replies */

/* Redis: the one field of the lock's hash (0: no key), and the lease of that key. */
byte owner, ttl;
/* Of each instance one connection: what was sent on it, and what came back, in order. */
chan calls[2] = [2] of { mtype, byte };
chan replies[2] = [2] of { mtype, byte };
mtype lateScript; byte lateHolder; /* a call of a cut connection that will run all the same */
/* Each instance: what it does, under which holder id, and how long it still believes in the lock (its local deadline). */
mtype phase[2] = idle;
byte holder[2], left[2];
byte age[2];       /* how long ago the last call was sent that gives a lease */
bool unsure[2];    /* a call under this id got no answer: Redis may have granted it */
bool renewing[2];  /* a renewal is under way */
byte due[2];       /* units until the next renewal */

/* What the invariants need to know, and no instance does. */
byte lateCalls = LATE_CALLS;
bool forced[2];    /* its holder id has lost the lock to a forced unlock */
bool lapsed;       /* the owner gave its hold up at its local deadline: only the lease frees the lock */
byte since[2];     /* units since the forced unlock */
bool slow[2];      /* a renewal was late, or its answer was: then the bound on forced unlocks does not hold */

#define believes(i) (phase[i] == holding && left[i] > 0)
#define sure(i) (believes(i) && !forced[i])
#define quiet(i) (len(calls[i]) == 0 && len(replies[i]) == 0)
#define refers(id) (holder[0] == id || holder[1] == id || owner == id || lateHolder == id)
#define NAME(i) ('A' + i)

inline send(script) { calls[i] ! script, holder[i] }
inline sendForLease(script) { age[i] = 0; send(script) }
/* The belief ends; what the watchdog knows goes with it. */
inline endBelief() { left[i] = 0; age[i] = 0; renewing[i] = false; due[i] = 0; since[i] = 0; slow[i] = false }
inline stop() { endBelief(); phase[i] = idle; holder[i] = 0; unsure[i] = false; forced[i] = false }
inline believe() { left[i] = LEASE - age[i]; due[i] = (age[i] > 0 -> 0 : 1) }
inline free() { owner = 0; ttl = 0; lapsed = false }
inline force(i) { if :: owner == holder[i] -> forced[i] = true :: else fi }
inline unforce(i) { if :: id == holder[i] -> forced[i] = false; since[i] = 0 :: else fi }

/* What each script does, in one step. */
inline execute() {
  if
  :: script == acquire ->                                   /* lua/reentrant/acquire.lua */
    if
    :: owner == 0 -> owner = id; ttl = LEASE; unforce(0); unforce(1); reply = granted
    :: owner == id -> ttl = LEASE; reply = granted
    :: else -> reply = busy
    fi
  :: script == renew ->                                     /* lua/renewal/renew.lua */
    if
    :: owner == id -> ttl = LEASE; reply = alive
    :: else -> reply = gone
    fi
  :: script == release ->                                   /* lua/reentrant/release.lua */
    if
    :: owner == id -> free(); reply = released
    :: else -> reply = gone
    fi
  fi
}

inline printCall() { printf("script %e holder=%d -> %e | lock=%d ttl=%d\n", script, id, reply, owner, ttl) }
inline runCall(i) { calls[i] ? script, id; execute(); replies[i] ! reply, id; printCall(); id = 0; script = 0; reply = 0 }

active proctype Store() {
  byte id; mtype script, reply;
end:
  do
  :: atomic { len(calls[0]) > 0 -> runCall(0) }
  :: atomic { len(calls[1]) > 0 -> runCall(1) }
  :: atomic { lateHolder != 0 ->
      script = lateScript; id = lateHolder; lateScript = 0; lateHolder = 0;
      execute(); printCall(); id = 0; script = 0; reply = 0 }
  /* lua/reentrant/force-release.lua, by an operator; not repeated when its reply is lost */
  :: atomic { owner != 0 -> force(0); force(1); free(); printf("script force-release -> released | lock=0 ttl=0\n") }
  od
}

/* The clock of Redis and the monotonic clocks of the instances go at the same speed. */
active proctype Time() {
  byte i;
end:
  do
  :: atomic {
      if :: ttl > 0 -> ttl--; if :: ttl == 0 -> free() :: else fi :: else fi;
      for (i : 0 .. 1) {
        if :: believes(i) && (due[i] == 0 && !renewing[i] || renewing[i] && age[i] > 0) -> slow[i] = true :: else fi;
        if :: believes(i) && forced[i] -> since[i]++ :: else fi;
        if :: left[i] > 0 -> left[i]-- :: else fi;
        if :: (phase[i] == asking || renewing[i]) && age[i] < LEASE -> age[i]++ :: else fi;
        if :: due[i] > 0 -> due[i]-- :: else fi
      }
      i = 0;
      printf("pass | lock=%d ttl=%d\n", owner, ttl)
    }
  od
}

proctype Instance(byte i) {
  byte id; mtype reply;
end:
  do
  /* acquire/acquire.attempt.ts: a new holder id for each outermost acquisition */
  :: atomic { phase[i] == idle && quiet(i) ->
      id = 1; do :: refers(id) -> id++ :: else -> break od; assert(id <= IDS);
      holder[i] = id; forced[i] = false; id = 0;
      phase[i] = asking; sendForLease(acquire); printf("new holder=%d by=%c\n", holder[i], NAME(i)) }
  /* acquire/acquire.attempt.ts: no answer, so the same is asked again under the same id */
  :: atomic { phase[i] == asking && quiet(i) -> sendForLease(acquire); printf("%c asks again\n", NAME(i)) }
  /* acquire/acquire.attempt.ts, abandon(): the caller waits no longer; what may have been granted is undone */
  :: atomic { phase[i] == asking -> phase[i] = freeing; age[i] = 0; printf("%c gives up\n", NAME(i)) }
  /* renewal/watchdog.ts: a hold that is over is not renewed */
  :: atomic { believes(i) && !renewing[i] -> renewing[i] = true; sendForLease(renew); printf("%c renews\n", NAME(i)) }
  /* local/lock.release.ts: the hold has left the watchdog; a renewal under way goes before the release on the same connection */
  :: atomic { believes(i) -> phase[i] = freeing; endBelief(); send(release); printf("%c releases\n", NAME(i)) }
  /* core/background.release.ts: repeated until there is an answer, once nothing else is under way */
  :: atomic { phase[i] == freeing && quiet(i) -> send(release); printf("%c releases in the background\n", NAME(i)) }
  /* holds/hold.ts, checkDeadlines(): the local deadline has come; of a lost hold nothing is sent */
  :: atomic { phase[i] == holding && left[i] == 0 ->
      if :: owner == holder[i] -> lapsed = true :: else fi;
      stop(); printf("%c loses its hold\n", NAME(i)) }
  /* The connection breaks: what was sent may have run or not, and no reply comes. */
  :: atomic { !quiet(i) ->
      if :: lateCalls > 0 && len(calls[i]) > 0 -> lateCalls--; calls[i] ? lateScript, lateHolder :: true fi;
      do :: len(calls[i]) > 0 -> calls[i] ? _, _ :: len(replies[i]) > 0 -> replies[i] ? _, _ :: quiet(i) -> break od;
      if
      :: phase[i] == asking -> unsure[i] = true; age[i] = 0
      :: phase[i] == holding -> slow[i] = true; renewing[i] = false; age[i] = 0
      :: else
      fi;
      printf("%c is cut off\n", NAME(i)) }
  /* A reply arrives. */
  :: atomic { replies[i] ? reply, id ->
      printf("%c receives %e\n", NAME(i), reply);
      if
      :: id != holder[i] -> skip
      /* acquire/late.grant.ts: no work begins with a lease of which more than half is over */
      :: else -> if
        :: phase[i] == asking && reply == granted && age[i] * 2 > LEASE -> sendForLease(acquire)
        :: phase[i] == asking && reply == granted && age[i] * 2 <= LEASE -> phase[i] = holding; believe(); age[i] = 0; unsure[i] = false
        :: phase[i] == asking && reply == busy && unsure[i] -> phase[i] = freeing; age[i] = 0
        :: phase[i] == asking && reply == busy && !unsure[i] -> stop()
        /* renewal/lease.ts: the deadline counts from the sending */
        :: phase[i] == holding && reply == alive -> believe(); renewing[i] = false; age[i] = 0
        :: phase[i] == holding && reply == gone -> stop()
        :: phase[i] == freeing && quiet(i) && (reply == released || reply == gone) -> stop()
        :: else -> skip
        fi
      fi;
      id = 0; reply = 0 }
  od
}

/* What holds in every state. */
active proctype Invariants() {
end:
  if
  :: atomic { sure(0) && sure(1) ->
      printf("VIOLATED: I1: two instances believe in the lock\n"); assert(false) }
  :: atomic { sure(0) && owner != holder[0] || sure(1) && owner != holder[1] ->
      printf("VIOLATED: what an instance believes in is not in Redis\n"); assert(false) }
  /* docs/protocol.md: until its next renewal, here one unit, and one for the round trip */
  :: atomic { believes(0) && since[0] > 2 && !slow[0] || believes(1) && since[1] > 2 && !slow[1] ->
      printf("VIOLATED: a forced unlock is noticed too late\n"); assert(false) }
  :: atomic { believes(0) && since[0] >= LEASE || believes(1) && since[1] >= LEASE ->
      printf("VIOLATED: a forced unlock is not noticed at all\n"); assert(false) }
  :: atomic { phase[0] == idle && phase[1] == idle && quiet(0) && quiet(1) && lateHolder == 0 && owner != 0 && !lapsed ->
      printf("VIOLATED: I5: something is left behind\n"); assert(false) }
  fi
}

init { atomic { run Instance(0); run Instance(1) } }
