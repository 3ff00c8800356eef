import { OURS_PERMITS, OURS_WRITING } from './entries.mjs';
import { fleet } from './fleet.mjs';

export const s13 = fleet({ id: 'S13', title: 'A fleet at one lock, holds of 5 ms', work: 5, callers: 1 });

export const s13l = fleet({ id: 'S13L', title: 'A fleet at one lock, holds of 50 ms', work: 50, callers: 1 });

export const s13c = fleet({
  id: 'S13C',
  title: 'A fleet at one lock, 10 callers an instance, holds of 5 ms',
  work: 5,
  callers: 10,
});

export const s13p = fleet({
  id: 'S13P',
  title: 'A fleet at one semaphore of three permits, holds of 5 ms',
  work: 5,
  callers: 1,
  entries: [OURS_PERMITS],
});

export const s13w = fleet({
  id: 'S13W',
  title: 'A fleet that writes at one read/write lock, holds of 5 ms',
  work: 5,
  callers: 1,
  entries: [OURS_WRITING],
});
