import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useBoard } from './board.js';
import { pathOf, readAt, topicOf, type FeedState } from './feed/feed.state.js';
import { visibleText } from './format/visible.text.js';
import { InstancesPage } from './pages/instances.page.js';
import { JobPage } from './pages/job.page.js';
import { JobsPage } from './pages/jobs.page.js';
import { LeadersPage } from './pages/leaders.page.js';
import { LocksPage } from './pages/locks.page.js';
import { useRoute } from './route.hook.js';
import type { Route } from './router.js';
import { PageHeader } from './shell/page.header.js';
import { ToastsView } from './shell/toasts.view.js';
import { TroubleBanner } from './shell/trouble.banner.js';
import { useStore } from './store.js';

export function App() {
  const board = useBoard();
  const route = useRoute();
  const feed = useStore(board.feed.state);
  const about = useStore(board.about);
  const topic = topicOf(route);
  const path = pathOf(topic);
  // Before a child may ask for the time.
  useLayoutEffect(() => board.feed.show(topic), [path]);
  useFocusOnNewPage(route);
  useTitle(`${titleOf(route)} · ${visibleText(about?.title ?? 'Distributed locks')}`);
  const isOld = feed.connection !== 'live' || feed.trouble !== undefined;
  return (
    <>
      <a
        class="skip"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          document.querySelector('h1')?.focus();
        }}
      >
        Skip to the content
      </a>
      <PageHeader route={route} feed={feed} />
      <main id="content">
        <TroubleBanner feed={feed} topic={topic} />
        <div class={isOld && readAt(feed, topic) !== undefined ? 'figures old' : 'figures'}>
          <Page route={route} feed={feed} />
        </div>
      </main>
      <footer class="foot">
        nestjs-distributed-lock{about === undefined ? '' : ` ${visibleText(about.version)}`}
        <span>Times are local; ages are by the clock of Redis.</span>
      </footer>
      <ToastsView />
    </>
  );
}

function Page({ route, feed }: { readonly route: Route; readonly feed: FeedState }) {
  switch (route.page) {
    case 'jobs':
      return <JobsPage route={route} fleet={feed.fleet} />;
    case 'job':
      return (
        <JobPage
          key={route.name}
          name={route.name}
          data={feed.job?.name === route.name ? feed.job : undefined}
        />
      );
    case 'locks':
      return <LocksPage prefix={route.prefix} data={feed.locks} />;
    case 'instances':
      return <InstancesPage fleet={feed.fleet} />;
    case 'leaders':
      return <LeadersPage fleet={feed.fleet} />;
  }
}

const TITLES = { jobs: 'Jobs', locks: 'Locks', instances: 'Instances', leaders: 'Leaders' };

function titleOf(route: Route): string {
  return route.page === 'job' ? visibleText(route.name) : TITLES[route.page];
}

function useTitle(title: string): void {
  useEffect(() => {
    document.title = title;
  }, [title]);
}

/** As after a load: a screen reader begins at the heading, and the page at its top. */
function useFocusOnNewPage(route: Route): void {
  const place = route.page === 'job' ? `job ${route.name}` : route.page;
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) {
      scrollTo(0, 0);
      document.querySelector('h1')?.focus({ preventScroll: true });
    }
    isFirst.current = false;
  }, [place]);
}
