import { useBoard } from '../board.js';
import type { FeedState } from '../feed/feed.state.js';
import { visibleText } from '../format/visible.text.js';
import { NameText } from '../parts/name.text.js';
import { hashOf, ALL_JOBS, type Route } from '../router.js';
import { useStore } from '../store.js';
import { ThemeSwitch } from './theme.switch.js';

interface PageHeaderProps {
  readonly route: Route;
  readonly feed: FeedState;
}

export function PageHeader({ route, feed }: PageHeaderProps) {
  const about = useStore(useBoard().about);
  return (
    <header class="bar">
      <div class="bar-row">
        <span class="brand">
          <svg class="logo" viewBox="0 0 16 16" aria-hidden="true">
            <path d="M5.2 7V5.6a2.8 2.8 0 0 1 5.6 0V7" />
            <rect x="3.3" y="6.8" width="9.4" height="6.4" rx="1.4" />
          </svg>
          <NameText value={about?.title ?? 'Distributed locks'} />
        </span>
        {about === undefined ? null : (
          <span class="where">
            <NameText value={about.app} title={`Served by the application ${visibleText(about.app)}`} />
            {about.namePrefix === '' ? null : (
              <span class="prefix">
                prefix{' '}
                <NameText
                  value={about.namePrefix}
                  isMono
                  title={`All names in Redis begin with ${visibleText(about.namePrefix)}`}
                />
              </span>
            )}
          </span>
        )}
        {about?.isReadOnly === true ? <span class="mark-read-only">read only</span> : null}
        <span class="bar-end">
          <LiveDot feed={feed} />
          <ThemeSwitch />
        </span>
      </div>
      <nav class="tabs" aria-label="Pages">
        <Tab label="Jobs" page="jobs" route={route} count={feed.fleet?.jobs.size} />
        <Tab label="Locks" page="locks" route={route} count={lockCountOf(route, feed)} />
        <Tab label="Instances" page="instances" route={route} count={feed.fleet?.instances.length} />
        <Tab label="Leaders" page="leaders" route={route} count={feed.fleet?.leaderships.length} />
      </nav>
    </header>
  );
}

interface TabProps {
  readonly label: string;
  readonly page: 'jobs' | 'locks' | 'instances' | 'leaders';
  readonly route: Route;
  readonly count?: number | string | undefined;
}

/** Locks are counted by a SCAN, so their number is known while their page is open, and shows all of them. */
function lockCountOf(route: Route, { locks }: FeedState): string | undefined {
  if (route.page !== 'locks' || locks?.prefix !== '') return undefined;
  return `${locks.locks.length}${locks.isCut ? '+' : ''}`;
}

const TARGETS = {
  jobs: hashOf(ALL_JOBS),
  locks: hashOf({ page: 'locks', prefix: '' }),
  instances: hashOf({ page: 'instances' }),
  leaders: hashOf({ page: 'leaders' }),
};

function Tab({ label, page, route, count }: TabProps) {
  const current = route.page === page ? 'page' : page === 'jobs' && route.page === 'job' ? true : undefined;
  return (
    <a href={TARGETS[page]} aria-current={current}>
      {label}
      {count === undefined ? null : <span class="count">{count}</span>}
    </a>
  );
}

const STATES = {
  connecting: ['connecting', 'Waiting for the first figures'],
  live: ['live', 'The figures are read from Redis again and again'],
  away: ['Redis away', 'The application cannot read Redis'],
  lost: ['reconnecting', 'The connection to the application is lost'],
  refused: ['refused', 'The application refuses the connection'],
} as const;

function LiveDot({ feed: { connection, trouble } }: { readonly feed: FeedState }) {
  const state = connection === 'live' && trouble !== undefined ? 'away' : connection;
  const [label, title] = STATES[state];
  return (
    <span class={`live live-${state}`} title={title}>
      <span class="dot" aria-hidden="true" />
      {label}
    </span>
  );
}
