/** What the table of jobs can be narrowed to. */
export const JOB_FILTERS = ['all', 'running', 'paused', 'failing', 'overdue', 'nowhere'] as const;
export type JobFilter = (typeof JOB_FILTERS)[number];

/** What the table of jobs can be sorted by. */
export const JOB_SORTS = ['name', 'next', 'last'] as const;
export type JobSort = (typeof JOB_SORTS)[number];

export interface JobsRoute {
  readonly page: 'jobs';
  readonly text: string;
  readonly filter: JobFilter;
  readonly sort: JobSort;
}

/** A page and what it shows. All of it is in the hash of the URL, so that a link shows a colleague the same. */
export type Route =
  | JobsRoute
  /** `isLong`: with as many records as a page shows. */
  | { readonly page: 'job'; readonly name: string; readonly isLong?: boolean }
  | { readonly page: 'locks'; readonly prefix: string }
  | { readonly page: 'instances' }
  | { readonly page: 'leaders' };

export const ALL_JOBS: JobsRoute = { page: 'jobs', text: '', filter: 'all', sort: 'name' };

/** How many records a long page of a job shows: as many as the server sends. */
export const LONG = '1000';

/** @param hash with its `#`; anything unknown is the page of jobs */
export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = splitOnce(hash.replace(/^#?\/?/, ''), '?');
  const [page, name = ''] = splitOnce(path, '/');
  const search = new URLSearchParams(query);
  if (page === 'locks') return { page: 'locks', prefix: search.get('prefix') ?? '' };
  if (page === 'instances' || page === 'leaders') return { page };
  if (page === 'jobs' && name !== '') {
    const isLong = search.get('records') === LONG;
    return { page: 'job', name: decoded(name), ...(isLong ? { isLong } : {}) };
  }
  return {
    page: 'jobs',
    text: search.get('text') ?? '',
    filter: JOB_FILTERS.find((each) => each === search.get('state')) ?? 'all',
    sort: JOB_SORTS.find((each) => each === search.get('sort')) ?? 'name',
  };
}

/** The hash that {@link parseRoute} reads, with its `#`. */
export function hashOf(route: Route): string {
  switch (route.page) {
    case 'job':
      return `#/jobs/${encoded(route.name)}${queryOf({ records: route.isLong === true ? LONG : '' })}`;
    case 'locks':
      return `#/locks${queryOf({ prefix: route.prefix })}`;
    case 'jobs': {
      const { text, filter, sort } = route;
      return `#/jobs${queryOf({ text, state: filter === 'all' ? '' : filter, sort: sort === 'name' ? '' : sort })}`;
    }
    default:
      return `#/${route.page}`;
  }
}

/** A query of the values that are not empty. */
export function queryOf(values: Readonly<Record<string, string>>): string {
  const parts = Object.entries(values).flatMap(([key, value]) =>
    value === '' ? [] : [`${key}=${encoded(value)}`],
  );
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

/** A lone surrogate has no encoding. */
function encoded(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Cs}/gu, '\u{fffd}'));
}

/** A link that was cut within an escape is taken as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function splitOnce(text: string, separator: string): readonly [string, string?] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}
