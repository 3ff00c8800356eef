import { useEffect, useState } from 'preact/hooks';
import { hashOf, parseRoute, type Route } from './router.js';

/** The route of the URL; the component is rendered again when it changes. */
export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const update = () => setHash(location.hash);
    addEventListener('hashchange', update);
    return () => removeEventListener('hashchange', update);
  }, []);
  return parseRoute(hash);
}

/** Goes there without an entry of its own in the history: for what is typed into a filter. */
export function replaceRoute(route: Route): void {
  history.replaceState(null, '', hashOf(route));
  dispatchEvent(new HashChangeEvent('hashchange'));
}
