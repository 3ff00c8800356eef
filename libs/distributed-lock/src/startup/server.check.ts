import type { NoticeBoard } from '../events/notice.board.js';
import type { ClientLifecycle } from '../redis/client.lifecycle.js';
import type { ClientTemplate } from '../redis-source/client.template.js';
import { RedisFailure } from '../redis/redis.failure.js';
import { readFacts } from './server.facts.js';
import { judgeFacts, judgeOneServer } from './server.findings.js';

/**
 * Reads the facts of a server once, when it can first be reached, and warns of what endangers locks. No caller waits for it, and a server
 * that refuses to answer gets no warning: the locks themselves will report it.
 */
export function checkServer(
  lifecycle: ClientLifecycle,
  { address, isCluster }: Pick<ClientTemplate, 'address' | 'isCluster'>,
  notices: NoticeBoard,
): void {
  let isRequested = false;
  lifecycle.onReady(() => {
    if (isRequested) return;
    isRequested = true;
    lifecycle.client.info('default').then(
      (info) => {
        const facts = readFacts(String(info));
        // A fact that a server withholds is for the doctor to report: a managed server would cause a warning at every start.
        const texts = [...(isCluster ? [] : judgeOneServer(facts)), ...judgeFacts(facts)]
          .filter(({ status, isWithheld }) => (status === 'fail' || status === 'warn') && isWithheld !== true)
          .map(({ check, text, remedy }) => `${check}: ${text}. ${remedy}`);
        if (texts.length === 0) return;
        notices.post({ kind: 'unsafe-server', address, why: texts.join(' ') });
      },
      (error: unknown) => {
        // A command without an answer is sent again on the next connection; a refused one would be refused again.
        isRequested = !RedisFailure.from(error).isTransient;
      },
    );
  });
}
