import type { BeforeApplicationShutdown } from '@nestjs/common';
import { checkKey, checkName } from '../core/name.checks.js';
import { VERSION } from '../contracts/version.js';
import { showAs } from '../objects/object.form.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import type { LockService } from '../service/lock.service.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import type { DashboardAbout } from '../dashboard-feeds/dashboard.model.js';
import type { DashboardRequest, DashboardSettings } from './dashboard.options.js';
import { Feed, PERIOD, type FeedSource } from '../dashboard-feeds/feed.js';
import { InstanceCache } from '../dashboard-feeds/instance.cache.js';
import { JobSource, MOST_RECORDS, STRIP } from '../dashboard-feeds/job.source.js';
import { JobsSource } from '../dashboard-feeds/jobs.source.js';
import { LocksSource } from '../dashboard-feeds/locks.source.js';
import { perform, readAction, type ActionResult } from './operator.actions.js';
import { PageFiles, type PageFile } from './page.files.js';

/** The parameters of a feed, as they stand in the URL. */
export interface FeedParameters {
  readonly topic?: unknown;
  readonly name?: unknown;
  readonly records?: unknown;
  readonly prefix?: unknown;
}

/** A feed that a page may watch. */
interface WantedFeed {
  readonly key: string;
  readonly source: () => FeedSource<unknown>;
}

/** Why there is no feed. */
interface NoFeed {
  readonly status: number;
  readonly message: string;
}

/** An open connection to a page. */
interface OpenPage {
  send(event: string, json: string): void;
  end(): void;
}

/** The most pages that are open at the same time, and the most topics that they show. */
const MOST_PAGES = 200;
const MOST_FEEDS = 20;

/** What the routes of a dashboard do. */
export class DashboardService implements BeforeApplicationShutdown {
  static {
    showAs(DashboardService, () => ({ type: 'Dashboard' }));
  }

  readonly #locks: LockService;
  readonly #settings: DashboardSettings;
  readonly #instances: InstanceCache;
  readonly #files = new PageFiles();
  /** By topic and parameter: pages that show the same share a feed. */
  readonly #feeds = new Map<string, Feed<unknown>>();
  readonly #pages = new Set<OpenPage>();
  #isClosed = false;

  constructor(locks: LockService, settings: DashboardSettings) {
    this.#locks = locks;
    this.#settings = settings;
    this.#instances = new InstanceCache(locks.fleet);
  }

  get wheel(): TimerWheel {
    return this.#locks.engine.context.wheel;
  }

  get about(): DashboardAbout {
    const { appName, namePrefix } = this.#locks.engine.context.settings;
    const { title, isReadOnly } = this.#settings;
    return { title, version: VERSION, app: appName, namePrefix, isReadOnly, period: PERIOD };
  }

  /** @returns undefined for a file that the page does not have */
  async file(path: string): Promise<PageFile | undefined> {
    return await this.#files.find(path);
  }

  /** Finds the feed of a topic, or why there is none. */
  feedOf(parameters: FeedParameters): WantedFeed | NoFeed {
    if (this.#isClosed) return { status: 503, message: 'The application is shutting down.' };
    if (this.#pages.size >= MOST_PAGES)
      return { status: 503, message: `${MOST_PAGES} pages are open already: close some of them.` };
    const wanted = this.#wanted(parameters);
    if (wanted === undefined)
      return {
        status: 400,
        message: `topic must be jobs, locks, or job with the name of a job, and up to ${MOST_RECORDS} records.`,
      };
    if (!this.#feeds.has(wanted.key) && this.#feeds.size >= MOST_FEEDS)
      return { status: 503, message: `Open pages show ${MOST_FEEDS} topics already: close some of them.` };
    return wanted;
  }

  /** Adds a page to a feed. @returns removes it */
  watch({ key, source }: WantedFeed, page: OpenPage): () => void {
    const feed = this.#feeds.get(key) ?? new Feed(this.#locks.engine.context, source());
    this.#feeds.set(key, feed);
    this.#pages.add(page);
    const remove = feed.add((event, json) => page.send(event, json));
    return () => {
      this.#pages.delete(page);
      remove();
      if (feed.viewers === 0) this.#feeds.delete(key);
    };
  }

  /** Does an action, if it is allowed. @throws what the option `allow` throws */
  async act(request: DashboardRequest, body: unknown): Promise<ActionResult> {
    const action = readAction(body);
    if (action === undefined)
      return refused(
        400,
        'This is no action: the body must be JSON, such as {"action":"pause","job":"report"}.',
      );
    if (this.#settings.isReadOnly)
      return refused(
        403,
        'The dashboard is read-only: give guards or allow to DistributedLockDashboardModule.',
      );
    if (!(await this.#settings.allow(request, action)))
      return refused(403, `The action ${action.action} is not allowed for this user.`);
    const result = await perform(this.#locks, action, operatorOf(this.#settings.userOf(request)));
    for (const feed of this.#feeds.values()) feed.refresh();
    return result;
  }

  /** A server waits for its open requests. A provider and not the controller has this hook: Nest leaves out a controller with a guard for each request. */
  beforeApplicationShutdown(): void {
    this.#isClosed = true;
    for (const page of this.#pages) page.end();
  }

  #wanted({ topic, name, records = `${STRIP}`, prefix = '' }: FeedParameters): WantedFeed | undefined {
    const [locks, instances] = [this.#locks, this.#instances];
    if (topic === 'jobs') return { key: topic, source: () => new JobsSource(locks, instances) };
    if (topic === 'locks' && typeof prefix === 'string' && prefix.length <= 1024)
      return { key: `locks ${prefix}`, source: () => new LocksSource(locks, prefix) };
    const most = Number(records);
    const isMost = Number.isInteger(most) && most >= 1 && most <= MOST_RECORDS;
    if (topic === 'job' && isMost && typeof name === 'string' && this.#isName(name))
      return { key: `job ${most} ${name}`, source: () => new JobSource(locks, instances, name, most) };
    return undefined;
  }

  /** Whether a job may have the name. */
  #isName(name: string): boolean {
    try {
      checkName(name);
      checkKey(name, this.#locks.engine.context.settings.mapName(name));
      return true;
    } catch (error) {
      if (error instanceof LockConfigurationError) return false;
      throw error;
    }
  }
}

/** The most characters of the name of an operator: it is stored with the job. */
const MOST_CHARACTERS = 200;

/** Undefined for what names no operator: an application in JavaScript may return anything. */
function operatorOf(name: unknown): string | undefined {
  return typeof name === 'string' && name !== '' ? name.slice(0, MOST_CHARACTERS) : undefined;
}

function refused(status: number, message: string): ActionResult {
  return { status, answer: { isDone: false, message } };
}
