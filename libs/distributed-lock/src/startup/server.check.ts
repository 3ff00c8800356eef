import type { NoticeBoard } from '../events/notice.board.js';
import type { ClientLifecycle } from '../redis/client.lifecycle.js';
import { RedisFailure } from '../redis/redis.failure.js';
import { readFacts } from './server.facts.js';
import { judgeFacts } from './server.findings.js';

/**
 * Asks a server once, when it can first be reached, what it tells of itself, and warns of what endangers locks. Nobody waits for
 * it, and a server that refuses to answer is not warned of: the locks themselves will tell.
 */
export function checkServer(lifecycle: ClientLifecycle, address: string, notices: NoticeBoard): void {
  let isAsked = false;
  lifecycle.onReady(() => {
    if (isAsked) return;
    isAsked = true;
    lifecycle.client.info('default').then(
      (info) => {
        const facts = readFacts(String(info));
        // What a server keeps to itself is the doctor's to tell: a managed one would be warned of at every start.
        const told = judgeFacts(facts)
          .filter(({ status, isUntold }) => (status === 'fail' || status === 'warn') && isUntold !== true)
          .map(({ check, told: text, remedy }) => `${check}: ${text}. ${remedy}`);
        if (told.length === 0) return;
        notices.post({ kind: 'unsafe-server', address, why: told.join(' ') });
      },
      (error: unknown) => {
        // What was not answered is asked of the next connection; what was refused would be again.
        isAsked = !RedisFailure.from(error).isTransient;
      },
    );
  });
}
