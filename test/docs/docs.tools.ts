import { installDocsTools } from '../../tools/docs/docs.installer.mjs';
import { Unavailable } from '../../tools/test/unavailable.mjs';

/** Why the tools of the documentation cannot be had on this machine; undefined where they are installed. */
export const lacking = await installDocsTools().then(
  () => undefined,
  (error: unknown) => {
    if (error instanceof Unavailable) return error.message;
    throw error;
  },
);
