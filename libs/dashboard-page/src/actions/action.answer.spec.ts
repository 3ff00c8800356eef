import { describe, expect, it } from 'vitest';
import { readAnswer } from './action.answer.js';

const responseOf = (status: number, redirected = false) => ({
  ok: status >= 200 && status < 300,
  status,
  redirected,
});

describe('the answer of an action', () => {
  it.each([200, 404, 503])('is that of the dashboard at status %d', (status) => {
    const answer = { isDone: status === 200, message: 'A sentence.' };
    expect(readAnswer(responseOf(status), JSON.stringify(answer))).toEqual(answer);
  });

  it.each([
    [401, false, 'refused it (401)'],
    [403, false, 'refused it (403)'],
    [200, true, 'refused it.'],
  ])('names a session that may have ended at status %d, redirected: %s', (status, redirected, message) => {
    const answer = readAnswer(responseOf(status, redirected), '<html>Sign in</html>');
    expect(answer.isDone).toBe(false);
    expect(answer.message).toContain(message);
  });

  it.each(['', 'null', '"text"', '{"statusCode":502}', '<html>'])(
    'is not known to be done after %j',
    (body) => {
      expect(readAnswer(responseOf(502), body)).toMatchObject({
        isDone: false,
        message: expect.stringContaining('not known'),
      });
    },
  );
});
