import type { DashboardInstance } from '../../../distributed-lock/src/dashboard-feeds/dashboard.model.js';

/** The version that most instances have; of two that are as frequent, the one of the first instance. */
export function usualVersion(instances: readonly Pick<DashboardInstance, 'version'>[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { version } of instances) counts.set(version, (counts.get(version) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return [...counts].find(([, count]) => count === most)?.[0];
}
