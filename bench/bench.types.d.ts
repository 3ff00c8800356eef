/** What the driver and its processes say to each other, and what a contestant has to do. */

/** How a contestant is set up, as the report shows it. */
export type Settings = Readonly<Record<string, boolean | number | string>>;

/** One way to lock, set up in one process. `Held` is whatever its release needs. */
export interface Contestant<Held = unknown> {
  /** Once, without waiting; undefined or null when somebody else has it. Left out by what cannot. */
  tryAcquire?(name: string): Promise<Held | null | undefined>;
  /** Waits as long as it takes. */
  acquire(name: string): Promise<Held>;
  release(held: Held): Promise<unknown>;
  /** A piece of work under the lock, where there is such a call. */
  using?(name: string, work: () => Promise<void> | void): Promise<unknown>;
  /** What its schedule has done since the last look: the jobs that were run, and when each was started, in epoch ms. */
  look?(): { readonly runs: readonly number[]; readonly starts: readonly number[] };
  /** A further instance of the application in this process, with its own connections. Left out by what has none. */
  another?(): Promise<Contestant<Held>>;
  close(): Promise<unknown>;
}

/** A module of `contestants/`: makes its contestant on a server. */
export type Open = (url: string, settings: Settings) => Promise<Contestant>;

/** How a contestant is called: `pair` is an acquire and a release, `section` is using. */
export type Manner = 'pair' | 'section';

/** One row of a scenario. */
export interface Entry {
  /** As the report names it. */
  readonly label: string;
  /** The file in `contestants/`; of one in Java, nothing. */
  readonly module: string;
  /** @default 'node' */
  readonly runtime?: 'node' | 'java';
  readonly settings: Settings;
  /** What the others are compared with, ours, or somebody else's. */
  readonly role: 'limit' | 'ours' | 'peer';
  /** How it is called. @default 'pair' */
  readonly manner?: Manner;
  /** How long a job of it may take, in ms. @default 60000 */
  readonly patience?: number;
}

/** Figures by their names: numbers, or all the samples of one. */
export type Figures = Record<string, number | readonly number[]>;

/** A scenario: `test/` of the question that it answers is its text. */
export interface Scenario {
  readonly id: string;
  readonly title: string;
  /** What is measured, in a sentence or two, for the report. */
  readonly about: string;
  readonly entries: readonly Entry[];
  /** Runs on a cluster of so many masters. Commands are not counted there. @default one server */
  readonly masters?: number;
  /** Processes per entry. @default 1 */
  readonly processes?: number | ((size: number, entry: Entry) => number);
  /** The CPU that the processes are pinned to where the system can; undefined: all. */
  readonly cpu?: number;
  /** What is compared, and its unit. */
  readonly measure: Measure;
  /** Further columns. */
  readonly columns: readonly Measure[];
  /** Rounds, where fewer than asked for are enough: long ones whose figures hardly vary. */
  readonly rounds?: number;
  /** What each entry does before each round: others had theirs since its last one, and a process that was idle is slow at first. */
  warmUp?(team: Team, size: number): Promise<unknown>;
  /** Whether each round has processes of its own, but for those of Java: where the figures of two processes of one code differ by more than what is looked for. @default false */
  readonly isNewEachRound?: boolean;
  /** One round of one entry. What the processes and the server use is that of `timed`, or else of the whole round. */
  round(team: Team, size: number, timed: Timed): Promise<Figures>;
  /** Whether the processes of one entry would disturb another's by being there: then one is run after the other. @default false */
  readonly isAlone?: boolean;
  /** Whether no round warms up: for long ones, in which nothing is quick. @default false */
  readonly isCold?: boolean;
  /** Whether its processes run by the Node that `--node` names. @default the driver's */
  readonly isOnOtherNode?: boolean;
  /** Sizes to go through. @default one, 1 */
  readonly sizes?: readonly number[];
}

/** Notes what is used while `act` runs. */
export type Timed = <T>(act: () => Promise<T>) => Promise<T>;

export interface Measure {
  readonly key: string;
  readonly title: string;
  readonly better?: 'more' | 'less';
  readonly digits?: number;
}

/** The processes of one entry, as a scenario's round steers them. */
export interface Team {
  /** Has one process do a job of `jobs/`, and gives its answer. */
  ask(process: number, job: string, options?: object): Promise<Figures>;
  /** Has all do it at the same time. */
  all(job: string, options?: object): Promise<Figures[]>;
  /**
   * What is sent while `act` runs: the commands of clients, those inside of scripts left out, and the messages that subscribers receive.
   * @param subject a part of the keys and channels in question: commands without it are the `others`. @default all are commands
   */
  counting<T>(
    act: () => Promise<T>,
    subject?: string,
  ): Promise<{
    readonly result: T;
    readonly commands: number;
    readonly others: number;
    readonly messages: number;
  }>;
  readonly manner: Manner;
  readonly role: Entry['role'];
  /** How many processes there are. */
  readonly size: number;
  readonly prefix: string;
}
