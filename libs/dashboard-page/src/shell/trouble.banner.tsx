import { useEffect, useState } from 'preact/hooks';
import { useBoard } from '../board.js';
import { readAt, type FeedState, type Topic } from '../feed/feed.state.js';
import { clockText, instantText } from '../format/instant.text.js';
import { wholeSpan } from '../format/span.text.js';
import { visibleText } from '../format/visible.text.js';

interface TroubleBannerProps {
  readonly feed: FeedState;
  readonly topic: Topic;
}

/** Says why the figures are not those of now, and of when they are. */
export function TroubleBanner({ feed, topic }: TroubleBannerProps) {
  const { clock } = useBoard();
  const { connection, status, trouble } = feed;
  const at = readAt(feed, topic);
  const figures = at === undefined ? '' : ` The figures are those of ${clockText(at)}.`;
  if (connection === 'refused')
    return (
      <div class="banner bad" role="alert">
        The application refuses the connection{status ? ` (${status})` : ''}. The session may have ended.
        {figures} <a href={location.pathname + location.search}>Reload the page</a>
      </div>
    );
  if (connection === 'lost')
    return (
      <div class="banner warn" role="alert">
        The connection to the application is lost; trying again.{figures}
      </div>
    );
  if (trouble === undefined) return null;
  return (
    <div class="banner bad" role="alert">
      Redis is away since {instantText(trouble.since, clock.wall())} <Age since={trouble.since} />:{' '}
      <bdi>{visibleText(trouble.message).replace(/\.$/, '')}</bdi>.{figures}
    </div>
  );
}

/** Hidden from screen readers: an alert is read again each time that its text changes. */
function Age({ since }: { readonly since: number }) {
  const { clock } = useBoard();
  const [now, setNow] = useState(clock.wall());
  useEffect(() => clock.follow(() => setNow(clock.wall())), [clock]);
  return <span aria-hidden="true">({wholeSpan(now - since, 1)})</span>;
}
