import { faultOfText, type SourceFault } from './ioredis-option.checks.js';

const SPECIAL =
  'Percent-encode special characters in the user name and password, and give the database as a number: "redis://user:p%40ss@host:6379/0".';

/** Schemes of other clients and servers, and their replacements. */
const SCHEMES: Readonly<Record<string, string>> = {
  unix: 'Give the path of the socket alone: "/run/redis.sock".',
  'redis+unix': 'Give the path of the socket alone: "/run/redis.sock".',
  valkey: 'Write redis:// in its place.',
  valkeys: 'Write rediss:// in its place.',
  'redis-sentinel': 'Give ioredis options with sentinels and name.',
  'redis+sentinel': 'Give ioredis options with sentinels and name.',
};

/** The texts that a template literal makes of an unset variable. */
const UNSET = new Set(['undefined', 'null', 'nan', '[object%20object]']);

/**
 * Reads the address of a Redis in the forms of the module and the command line: `redis://` or `rediss://`, `host`, `host:port`, a port, or the
 * path of a socket.
 * @returns the fault, which never repeats the address, since that may have a password; undefined for a valid address
 */
export function faultOfAddress(text: string): SourceFault | undefined {
  if (text.trim() === '')
    return {
      given: 'an empty string',
      remedy: 'Check that the environment variable with the address is set.',
    };
  if (/^\d+$/.test(text)) return faultOfText('port', text);
  if (text.startsWith('/') && !text.startsWith('//')) return undefined;
  const scheme = schemeOf(text);
  if (scheme !== undefined && scheme !== 'redis' && scheme !== 'rediss') return ofScheme(scheme);
  const url = scheme === undefined && /^rediss?:/.test(text) ? undefined : urlOf(text);
  if (url === undefined || !isWhole(url, scheme !== undefined))
    return { given: 'a string that is not a valid URL', remedy: SPECIAL };
  return ofHost(url) ?? ofQuery(url);
}

/** @returns an address as a URL, also where it has no scheme; undefined for a port, a path, and an unreadable text */
export function urlOf(text: string): URL | undefined {
  if (/^\d+$/.test(text) || /^\/(?!\/)/.test(text)) return undefined;
  const full = schemeOf(text) === undefined ? `redis://${text}` : text;
  return URL.canParse(full) ? new URL(full) : undefined;
}

function schemeOf(text: string): string | undefined {
  return /^([^:/?#@]*):\/\//.exec(text)?.[1];
}

function ofScheme(scheme: string): SourceFault {
  // The text before "://" is no secret if it is one word; in a mistyped URL it may be.
  const shown = /^[a-z][a-z0-9+.-]*$/i.test(scheme);
  return {
    given: shown ? `a URL that begins with "${scheme}:"` : 'a URL of another scheme',
    remedy: SCHEMES[scheme] ?? 'Write redis://, or rediss:// for TLS.',
  };
}

/** With a missing slash, or with a #, ? or / in the password, a part of the password is read as another part of the URL. */
function isWhole({ username, password, pathname, hash, search }: URL, hasScheme: boolean): boolean {
  if (hash !== '' || search.includes('@')) return false;
  if (!(hasScheme ? /^\/?\d*\/?$/ : /^\/?$/).test(pathname)) return false;
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

function ofHost({ hostname, searchParams }: URL): SourceFault | undefined {
  if (hostname === '')
    return searchParams.has('host') || searchParams.has('path')
      ? undefined
      : { given: 'a URL without a host', remedy: 'Write "redis://localhost:6379" for localhost.' };
  if (!UNSET.has(hostname.toLowerCase())) return undefined;
  return {
    given: `a URL whose host is "${hostname}"`,
    remedy: 'Check that the variable for the host is set.',
  };
}

/** Checks the query of a URL: ioredis takes its options from it. */
function ofQuery({ searchParams }: URL): SourceFault | undefined {
  for (const [name, value] of searchParams) {
    const fault = faultOfText(name, value);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
