import { LockConfigurationError } from '../errors/lock.errors.js';
import { urlOf } from '../redis-source/address.reader.js';
import { RedisFailure } from '../redis/redis.failure.js';
import { openSession, type ServerSession } from '../connections/server.session.js';
import type { Finding } from '../startup/server.findings.js';
import type { CommandContext } from '../command-line/command.context.js';
import { examine } from './doctor.checks.js';
import { EXIT } from '../command-line/exit.codes.js';
import type { Terminal } from '../command-line/terminal.js';

/** As wide as the longest name of a check. */
const WIDTH = 13;

/** `doctor`: runs all checks, and prints their findings. */
export async function runDoctor({ line, wheel, terminal }: Omit<CommandContext, 'session'>): Promise<number> {
  const { address, findings } = await examineServer({ line, wheel });
  const count = (status: Finding['status']) => findings.filter((finding) => finding.status === status).length;
  const [fails, warnings] = [count('fail'), count('warn')];
  const isWell = fails === 0 && !(line.isStrict && warnings > 0);
  if (line.isJson) terminal.json({ address, isWell, findings: findings.map(jsonOf) });
  else {
    terminal.line(`Redis at ${address}`);
    for (const finding of findings) print(finding, terminal);
    terminal.line(
      `${count('ok')} ok, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}, ${fails} failed`,
    );
  }
  return isWell ? EXIT.done : EXIT.unwell;
}

async function examineServer({
  line,
  wheel,
}: Pick<CommandContext, 'line' | 'wheel'>): Promise<{ address: string; findings: Finding[] }> {
  let session: ServerSession;
  try {
    session = await openSession(line.redis, wheel, line.timeout);
  } catch (error) {
    if (error instanceof LockConfigurationError) throw error;
    return { address: addressOf(line.redis), findings: [unreached(RedisFailure.from(error))] };
  }
  try {
    const text = `it answers (client: ${session.client})`;
    const reached: Finding = { check: 'connection', status: 'ok', text };
    return { address: session.address, findings: [reached, ...(await examine({ session, wheel, line }))] };
  } finally {
    await session.close();
  }
}

/** The keys of `--json` are public, and older than the names of the fields. */
function jsonOf({ check, status, text, remedy, isWithheld }: Finding) {
  return { check, status, told: text, remedy, isUntold: isWithheld };
}

function print({ check, status, text, remedy }: Finding, terminal: Terminal): void {
  terminal.line(`${status.padEnd(6)}${check.padEnd(WIDTH)}${text}`);
  if (remedy !== undefined) terminal.line(`${''.padEnd(6 + WIDTH)}→ ${remedy}`);
}

function unreached({ message }: RedisFailure): Finding {
  const isLogin = /WRONGPASS|NOAUTH|NOPERM|invalid username/i.test(message);
  return {
    check: 'connection',
    status: 'fail',
    text: message,
    remedy: isLogin
      ? 'Check the user and the password in the URL. Special characters must be percent-encoded.'
      : 'Check that Redis is up, that host and port are right, and that no firewall is in between. With TLS the URL begins with rediss://.',
  };
}

/** Without user and password. */
function addressOf(url: string): string {
  return urlOf(url)?.host ?? url;
}
