import { describe, expect, test, vi } from 'vitest';
import { buildPeer, PeerUnavailable } from './peer.builder.mjs';

describe('the Java side of the interop suite', () => {
  test('is unavailable, and names what is missing, on a machine without Java', async () => {
    vi.stubEnv('PATH', '/nowhere');
    const refused = await buildPeer().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(PeerUnavailable);
    expect(String(refused)).toContain('java cannot be run');
  });
});
