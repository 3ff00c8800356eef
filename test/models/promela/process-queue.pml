/*
 * The queue of processes at a plain lock, as it was designed: docs/contributing/decisions/11-queue-of-processes.md. The scripts are
 * lua/reentrant/{acquire,wait,release,pass}.lua; docs/contributing/queue-of-processes.md says what differs in them, and what is not here.
 *
 * One lock, or a semaphore of PERMITS, and three processes, each with one contender (waiters/local.waiters.ts); Java takes and frees it besides. The model covers
 * places, the two listeners of the queue (here: ears), guards, stops, crashes, lost messages, expiry and forced unlocks; not short leases on
 * behalf of a place, turns of others, and times. A script and its reply are one step; messages, timers and connections are steps of their own.
 * A release notifies the head of the queue and grants nothing, so what hold.pml says of leases, lost replies and lua/renewal/renew.lua holds
 * as it is. Timers are slow: a guard's fires when no running process has anything to do, or once before that (EARLY); an ear's when no guard
 * is set; a waiter's own when nothing else is left.
 */
#define NOBODY 3
#define ANY 4      /* the guard does not know whom the release has told */
#define EARS 2
#define PERMITS 1  /* how many may hold: 1 is a lock; lua/permit has the scripts of the others */
/* How often each may happen; tools/models/models.mjs has the explorations. */
#define STOPS 0    /* SIGSTOP, of which a process may come back or not; also a host that is gone without a word */
#define CRASHES 0  /* SIGKILL: its connections are closed */
#define LOSSES 0   /* a message without a trace, the reply of a release, or the connection that subscribes */
#define FORCES 0
#define JAVAS 0    /* holds of Java */
#define EARLY 0    /* guards that fire although a process is about to ask: a slow one */
#define COUNTED 0  /* whether grants to others are counted */

/* `comes`: about to ask because it was told; `loses`: the lock that it held was freed by force, or has run out */
mtype = { idle, asks, comes, sleeps, holds, loses, dead };

/* Redis: the holders; the queue, its head first, and the registered ears: one key, gone with the last place. */
bool has[3];
byte java;         /* its holds */
byte place[3], places;
bool isEar[3];
/* Processes: what they do, and whom they have to see moving. */
mtype phase[3] = idle;
bool stopped[3];
byte guard[3] = NOBODY;
/* The connection that subscribes. A process with a place has the channel of its places; an ear Redisson's channel too. */
bool up[3] = true, listens[3];
/* Messages under way, and what wakes like one. */
bool told[3];      /* "come" */
bool heard[3];     /* Redisson's 0; "be an ear"; the end of the lease that an ear knows; connected again */

/* What the invariants need to know. */
byte stops = STOPS, crashes = CRASHES, losses = LOSSES, forces = FORCES, javas = JAVAS, early = EARLY;
byte overtaken;      /* grants to other processes since A took its place */
byte outlived;       /* grants since a process died that has a place yet */

#define taken (has[0] + has[1] + has[2] + java)
#define isFree (taken < PERMITS)
#define runs(i) (phase[i] != dead && !stopped[i])
#define hears(i) (listens[i] && up[i])
#define isPlaced(i) (places > 0 && place[0] == i || places > 1 && place[1] == i || places > 2 && place[2] == i)
#define isAwake(i) (runs(i) && (phase[i] == asks || phase[i] == comes || !up[i] || heard[i] || told[i] && phase[i] == sleeps))
#define guards(i) (runs(i) && guard[i] != NOBODY)
#define looks(i) (runs(i) && isEar[i] && hears(i))
#define waits(i) (runs(i) && phase[i] == sleeps)
#define someAwake (isAwake(0) || isAwake(1) || isAwake(2))
#define someGuard (guards(0) || guards(1) || guards(2))
#define someEar (looks(0) || looks(1) || looks(2))
#define someWait (waits(0) || waits(1) || waits(2))
#define somePlaced (waits(0) && isPlaced(0) || waits(1) && isPlaced(1) || waits(2) && isPlaced(2))
#define ears (isEar[0] + isEar[1] + isEar[2])
#define hurt (STOPS - stops + CRASHES - crashes + LOSSES - losses + EARLY - early)
#define NAME(i) ('A' + i)

inline unguard() { guard[0] = NOBODY; guard[1] = NOBODY; guard[2] = NOBODY }
inline leaveQueue(p) {
  k = 0; do :: k < places && place[k] != p -> k++ :: else -> break od;
  if
  :: k < places -> places--;
    do :: k < places -> place[k] = place[k + 1]; k++ :: else -> place[k] = 0; break od
  :: else
  fi;
  if :: p == 0 -> overtaken = 0 :: else fi;
  if :: phase[p] == dead -> outlived = 0 :: else fi;
  if :: places == 0 -> isEar[0] = false; isEar[1] = false; isEar[2] = false :: else fi;
  k = 0
}
inline drop(p) { isEar[p] = false; leaveQueue(p) }
/* The first one whose channel has a subscriber; those in front of it are gone. */
inline tellHead() {
  do
  :: places > 0 && !up[place[0]] -> h = place[0]; drop(h)
  :: places > 0 && up[place[0]] -> told[place[0]] = true; break
  :: places == 0 -> break
  od;
  h = 0
}
/* Ears without a connection are forgotten; for a missing one the last in the queue is called, which waits longest. */
inline mendEars() {
  for (k : 0 .. 2) { if :: isEar[k] && !hears(k) -> isEar[k] = false :: else fi }
  k = 0;
  if
  :: ears < EARS && places > 0 ->
    k = places - 1;
    do :: (isEar[place[k]] || !up[place[k]]) && k > 0 -> k-- :: else -> break od;
    if :: !isEar[place[k]] && up[place[k]] -> heard[place[k]] = true :: else fi
  :: else
  fi;
  k = 0
}
inline publish() { for (k : 0 .. 2) { if :: hears(k) -> heard[k] = true :: else fi } k = 0 }
inline grant(i) {
  has[i] = true; phase[i] = holds; unguard();
  told[i] = false; /* a message names the place for which it is */
  if :: COUNTED && i != 0 && isPlaced(0) -> overtaken++ :: else fi;
  for (k : 0 .. 2) { if :: phase[k] == dead && isPlaced(k) -> outlived++ :: else fi }
  k = 0
}

/* The script "wait": takes a free lock whose turn it is, or keeps a place. An ear that finds the lock free tells the head. */
inline wait(i) {
  if :: isFree && listens[i] && phase[i] != comes && places > 0 && place[0] != i -> tellHead() :: else fi;
  if
  :: isFree && (places == 0 || place[0] == i || phase[i] == comes) -> leaveQueue(i); grant(i);
    /* Who takes one of several notifies the next one. */
    if :: isFree && places > 0 -> tellHead(); guard[i] = (places > 0 -> place[0] : NOBODY) :: else fi
  :: else ->
    if :: !isPlaced(i) -> place[places] = i; places++ :: else fi;
    if :: ears < EARS && listens[i] -> isEar[i] = true :: else fi;
    if :: ears < EARS && !listens[i] -> heard[i] = true :: else fi;
    if :: isFree -> guard[i] = place[0] :: else fi;
    phase[i] = sleeps
  fi;
  printf("%c waits -> %e\n", NAME(i), phase[i])
}
/* The script "pass": the lock may be free, and no process was notified. A guard names a head that does not move, which loses its place. */
inline dropSilent(i) {
  if
  :: isFree && guard[i] < NOBODY && places > 0 && place[0] == guard[i] ->
    h = guard[i]; drop(h);
    /* It is notified once more: if it lives, it comes again. */
    if :: up[h] -> told[h] = true :: else fi;
    h = 0
  :: else
  fi
}
inline pass(i) {
  mendEars();
  if :: isFree -> tellHead(); guard[i] = (places > 0 -> place[0] : NOBODY) :: else fi;
  printf("%c passes\n", NAME(i))
}

proctype Instance(byte i) {
  byte k, h;
end:
  do
  /* lua/reentrant/acquire.lua, for a caller that is ready to wait: it takes a free lock for which none waits */
  :: atomic { runs(i) && phase[i] == idle ->
      if :: isFree && places == 0 -> grant(i) :: else -> phase[i] = asks fi;
      printf("%c acquires -> %e\n", NAME(i), phase[i]) }
  /* redis/channel.subscriptions.ts: the channel of its places is subscribed before it takes one */
  :: atomic { runs(i) && (phase[i] == asks || phase[i] == comes) && up[i] -> wait(i) }
  /* acquire/acquire.loop.ts: what ends a sleep */
  :: atomic { waits(i) && up[i] && (told[i] || heard[i]) ->
      phase[i] = (told[i] -> comes : asks);
      if :: heard[i] && ears < EARS -> listens[i] = true :: else fi;
      told[i] = false; heard[i] = false; printf("%c is woken, %e\n", NAME(i), phase[i]) }
  /* A process that does not wait acts as an ear all the same; "come" is no longer for it. */
  :: atomic { runs(i) && up[i] && (phase[i] == idle || phase[i] == holds || phase[i] == loses) && (told[i] || heard[i]) ->
      if :: heard[i] -> pass(i) :: else fi;
      told[i] = false; heard[i] = false }
  /* waiters/waiter.ts: its time is over. The script "leave", and then the end of the subscriptions; also of a process that lingers as an ear */
  :: atomic { runs(i) && up[i] && (phase[i] == sleeps || phase[i] == idle && listens[i]) ->
      drop(i); listens[i] = false; told[i] = false; heard[i] = false; phase[i] = idle;
      mendEars();
      if :: isFree -> tellHead(); guard[i] = (places > 0 -> place[0] : NOBODY) :: else fi;
      printf("%c leaves\n", NAME(i)) }
  /* lua/reentrant/release.lua, which knows the queue */
  :: atomic { runs(i) && phase[i] == holds ->
      phase[i] = idle; has[i] = false; mendEars(); tellHead();
      if
      :: places > 0 -> guard[i] = place[0]; if :: losses > 0 -> losses--; guard[i] = ANY :: true fi
      :: else -> publish()
      fi;
      printf("%c releases\n", NAME(i)) }
  :: atomic { runs(i) && phase[i] == loses -> phase[i] = idle; printf("%c has lost the lock\n", NAME(i)) }
  /* The timer of a guard. */
  :: atomic { guards(i) && (!someAwake || early > 0) -> if :: someAwake -> early-- :: else fi; dropSilent(i); pass(i) }
  /* The timer of an ear: 3 s. */
  :: atomic { looks(i) && isFree && places > 0 && !someAwake && !someGuard -> heard[i] = true; printf("%c looks, as an ear\n", NAME(i)) }
  /* acquire/acquire.loop.ts: the longest sleep */
  :: atomic { waits(i) && isFree && !someAwake && !someGuard && !someEar -> heard[i] = true; printf("%c has slept longest\n", NAME(i)) }
  /* redis/subscriber.connection.ts: subscribed again, and every waiter asks */
  :: atomic { runs(i) && !up[i] -> up[i] = true; heard[i] = true; printf("%c is connected again\n", NAME(i)) }
  /* Faults. */
  :: atomic { runs(i) && stops > 0 -> stops--; stopped[i] = true; printf("%c is stopped\n", NAME(i)) }
  :: atomic { stopped[i] -> stopped[i] = false; printf("%c goes on\n", NAME(i)) }
  :: atomic { runs(i) && crashes > 0 ->
      crashes--; phase[i] = dead; up[i] = false; listens[i] = false; told[i] = false; heard[i] = false; guard[i] = NOBODY;
      printf("%c dies\n", NAME(i)); break }
  :: atomic { told[i] && losses > 0 -> losses--; told[i] = false; printf("a message to %c is lost\n", NAME(i)) }
  :: atomic { runs(i) && up[i] && losses > 0 && (phase[i] == sleeps || phase[i] == asks || phase[i] == comes || listens[i]) ->
      losses--; up[i] = false; told[i] = false; heard[i] = false; printf("%c is cut off\n", NAME(i)) }
  od
}

inline lose(p) { if :: phase[p] == holds -> phase[p] = loses :: else fi; has[p] = false }
#define lapses(i) (has[i] && !runs(i))
active proctype Others() {
  byte k;
end:
  do
  /* The lease of a holder that does not renew it. Ears sleep no longer than the lease that they know. */
  :: atomic { java > 0 || lapses(0) || lapses(1) || lapses(2) ->
      if :: java > 0 -> java-- :: lapses(0) -> lose(0) :: lapses(1) -> lose(1) :: lapses(2) -> lose(2) fi;
      for (k : 0 .. 2) { if :: isEar[k] && hears(k) -> heard[k] = true :: else fi } k = 0; printf("the lease ends\n") }
  /* lua/reentrant/force-release.lua; Redisson's, which knows no queue, says as little */
  :: atomic { forces > 0 && taken > 0 -> forces--;
      if :: java > 0 -> java-- :: has[0] -> lose(0) :: has[1] -> lose(1) :: has[2] -> lose(2) fi;
      publish(); printf("a forced unlock\n") }
  :: atomic { javas > 0 && isFree -> javas--; java++; unguard(); printf("Java acquires\n") }
  :: atomic { java > 0 -> java--; publish(); printf("Java releases\n") }
  od
}

/* What holds in every state. */
active proctype Invariants() {
end:
  if
  :: atomic { phase[0] == holds && !has[0] || phase[1] == holds && !has[1] || phase[2] == holds && !has[2] || taken > PERMITS ->
      printf("VIOLATED: too many holders\n"); assert(false) }
  :: atomic { isFree && someWait && !someAwake && !someGuard && hurt < 2 ->
      printf("VIOLATED: the lock is free, one waits, and nothing is under way\n"); assert(false) }
  :: atomic { isFree && someWait && !someAwake && !someGuard && !someEar && somePlaced && runs(0) + runs(1) + runs(2) > 1 ->
      printf("VIOLATED: the lock is free, one has a place, and no ear is left\n"); assert(false) }
  :: atomic { overtaken > 2 -> printf("VIOLATED: a waiter is overtaken\n"); assert(false) }
  :: atomic { outlived > 3 -> printf("VIOLATED: the place of a dead process stays\n"); assert(false) }
  fi
}

init { atomic { run Instance(0); run Instance(1); run Instance(2) } }
