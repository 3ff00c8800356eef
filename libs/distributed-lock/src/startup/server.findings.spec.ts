import { describe, expect, test } from 'vitest';
import { readFacts } from './server.facts.js';
import { judgeFacts, judgeOneServer } from './server.findings.js';

const HEALTHY = `# Server\r
redis_version:7.2.4\r
redis_mode:standalone\r
used_memory:1000\r
maxmemory:1000000\r
maxmemory_policy:noeviction\r
role:master\r
connected_slaves:1\r
slave0:ip=10.0.0.2,port=6379,state=online,offset=12,lag=1\r
`;

function judge(check: string, ...changes: [string, string][]): string | undefined {
  const info = changes.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`there is no ${from}`);
    return text.replace(from, to);
  }, HEALTHY);
  const finding = judgeFacts(readFacts(info)).find((one) => one.check === check);
  return finding && `${finding.status} ${finding.text}`;
}

describe('the state of a server', () => {
  test('has no findings when it is healthy', () => {
    expect(judgeFacts(readFacts(HEALTHY)).map(({ status, text }) => `${status} ${text}`)).toEqual([
      'ok Redis 7.2.4',
      'ok master',
      'ok noeviction',
      'ok 1 up to date (docs/replication.md: which locks a failover can lose)',
    ]);
  });

  test.each([
    ['version', ['7.2.4', '6.0.20'], 'fail Redis 6.0.20 is too old'],
    ['version', ['7.2.4', '6.2.0'], 'ok Redis 6.2.0'],
    ['version', ['7.2.4', '10.0.1'], 'ok Redis 10.0.1'],
    ['version', ['redis_mode', 'valkey_version:8.1.0\r\nredis_mode'], 'ok Valkey 8.1.0'],
    ['role', ['role:master', 'role:slave'], 'fail this is a replica'],
    ['role', ['standalone', 'sentinel'], 'fail this is a sentinel'],
    ['eviction', ['noeviction', 'volatile-ttl'], 'fail volatile-ttl: held locks are evicted'],
    ['eviction', ['used_memory:1000', 'used_memory:950000'], 'warn noeviction, and 0.9 MiB of 1.0 MiB'],
    ['replicas', ['state=online', 'state=wait_bgsave'], 'warn 1 of 1 lag behind'],
    ['replicas', ['lag=1', 'lag=60'], 'warn 1 of 1 lag behind'],
  ] as const)('of its %s is judged (%j)', (check, [from, to], verdict) => {
    expect(judge(check, [from, to])).toMatch(new RegExp(`^${verdict}`));
  });

  test('is only warned of where there is no limit yet that keys are evicted at', () => {
    expect(judge('eviction', ['noeviction', 'allkeys-lfu'], ['maxmemory:1000000', 'maxmemory:0'])).toMatch(
      /^warn/,
    );
  });

  test('is judged for a client that knows one server alone', () => {
    const node = `${HEALTHY}# Cluster\r\ncluster_enabled:1\r\n`;
    const [finding, ...more] = judgeOneServer(readFacts(node));
    expect([finding?.check, finding?.status, more]).toEqual(['cluster', 'warn', []]);
    expect(judgeOneServer(readFacts(node.replace('enabled:1', 'enabled:0')))).toEqual([]);
    expect(judgeOneServer(readFacts(''))).toEqual([]);
  });

  test('can be unknown', () => {
    const findings = judgeFacts(readFacts(''));
    expect(findings.map(({ status, isWithheld }) => [status, isWithheld])).toEqual([
      ['warn', true],
      ['warn', true],
      ['warn', true],
      ['skip', undefined],
    ]);
  });
});
