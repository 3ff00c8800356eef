import type { DashboardJob } from '../../../distributed-lock/src/dashboard-feeds/dashboard.model.js';
import { useBoard } from '../board.js';
import { useClock } from '../clock.js';
import { replaceRoute } from '../route.hook.js';
import { JOB_FILTERS, JOB_SORTS, type JobFilter, type JobSort, type JobsRoute } from '../router.js';
import { isIn } from './job.states.js';

interface JobsToolbarProps {
  readonly route: JobsRoute;
  readonly jobs: readonly DashboardJob[];
}

export const SORT_LABELS: Readonly<Record<JobSort, string>> = { name: 'Job', next: 'Next', last: 'Last run' };

/** Where the word in the URL says too little. */
const FILTER_LABELS: Readonly<Partial<Record<JobFilter, string>>> = { nowhere: 'no instance' };

/** The filters, each with the number of its jobs, so that they are a summary of the fleet as well. */
export function JobsToolbar({ route, jobs }: JobsToolbarProps) {
  const { clock } = useBoard();
  // One string of all numbers: the toolbar is rendered again when one of them changes.
  const counts = useClock(clock, (now) =>
    JOB_FILTERS.map((filter) => jobs.filter((job) => isIn(filter, job, now)).length).join(' '),
  ).split(' ');
  return (
    <div class="toolbar">
      <input
        class="field"
        type="search"
        aria-label="Filter by name, schedule or application"
        placeholder="Filter by name, schedule, application"
        value={route.text}
        onInput={(event) => replaceRoute({ ...route, text: event.currentTarget.value })}
      />
      <div class="chips" role="group" aria-label="State">
        {JOB_FILTERS.map((filter, place) => (
          <FilterChip key={filter} filter={filter} count={counts[place] ?? '0'} route={route} />
        ))}
      </div>
      <label class="sort-by">
        Sort by{' '}
        <select
          class="field"
          value={route.sort}
          onChange={(event) => {
            const sort = JOB_SORTS.find((each) => each === event.currentTarget.value);
            if (sort !== undefined) replaceRoute({ ...route, sort });
          }}
        >
          {JOB_SORTS.map((sort) => (
            <option key={sort} value={sort}>
              {SORT_LABELS[sort]}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

interface FilterChipProps {
  readonly filter: JobFilter;
  readonly count: string;
  readonly route: JobsRoute;
}

function FilterChip({ filter, count, route }: FilterChipProps) {
  return (
    <button
      type="button"
      class={`chip chip-${filter}${count === '0' ? ' none' : ''}`}
      aria-pressed={filter === route.filter}
      onClick={() => replaceRoute({ ...route, filter })}
    >
      {FILTER_LABELS[filter] ?? filter} <span class="count">{count}</span>
    </button>
  );
}
