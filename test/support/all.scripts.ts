import * as scripts from '../../libs/distributed-lock/src/scripts/generated/lua.scripts.js';

/** Every script that the build embeds; a public part for scripts of users is a text, and none of them. */
export const ALL_SCRIPTS = Object.values(scripts).filter((script) => typeof script !== 'string');

/** Their texts: a server that has loaded them answers no script by NOSCRIPT. */
export const SCRIPT_TEXTS: readonly string[] = ALL_SCRIPTS.map(({ text }) => text);
