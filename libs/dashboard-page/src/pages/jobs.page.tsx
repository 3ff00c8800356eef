import { useRef } from 'preact/hooks';
import { isOverdue } from '../../../distributed-lock/src/contracts/overdue.js';
import type { DashboardJob } from '../../../distributed-lock/src/dashboard-feeds/dashboard.model.js';
import { useBoard, useCanAct } from '../board.js';
import { useClock } from '../clock.js';
import type { FleetData } from '../feed/feed.state.js';
import { JobRow } from '../jobs/job.row.js';
import { hasText, inOrder, isIn, sorted } from '../jobs/job.states.js';
import { JobsToolbar, SORT_LABELS } from '../jobs/jobs.toolbar.js';
import { OutcomeLegend } from '../jobs/outcome.legend.js';
import { EmptyNote, LoadingNote } from '../parts/empty.note.js';
import { replaceRoute } from '../route.hook.js';
import { ALL_JOBS, hashOf, type JobSort, type JobsRoute } from '../router.js';

interface JobsPageProps {
  readonly route: JobsRoute;
  readonly fleet: FleetData | undefined;
}

/** With more rows, those outside of the window are left out of the layout, and of what some screen readers see. */
const MANY = 100;

export function JobsPage({ route, fleet }: JobsPageProps) {
  return (
    <>
      <h1 tabIndex={-1}>Jobs</h1>
      {fleet === undefined ? <LoadingNote /> : null}
      {fleet === undefined || fleet.jobs.size > 0 ? null : <NoJobs />}
      {fleet === undefined || fleet.jobs.size === 0 ? null : <JobsTable route={route} fleet={fleet} />}
    </>
  );
}

function JobsTable({ route, fleet }: JobsPageProps & { readonly fleet: FleetData }) {
  const { clock } = useBoard();
  const canAct = useCanAct();
  const all = [...fleet.jobs.values()];
  // The overdue ones as one string: the table is rendered again when one joins or leaves them, and not each second.
  useClock(clock, (now) => all.map((job, place) => (isOverdue(job, now) ? `${place} ` : '')).join(''));
  const now = clock.now();
  const matching = all.filter((job) => hasText(job, route.text) && isIn(route.filter, job, now));
  const { rows, hold } = useSteadyRows(matching, route);
  return (
    <>
      <JobsToolbar route={route} jobs={all} />
      {rows.length === 0 ? (
        <EmptyNote title="No job matches">
          <p>
            <a href={hashOf(ALL_JOBS)}>Show all {all.length} jobs</a>
          </p>
        </EmptyNote>
      ) : (
        <table class={`cards jobs${canAct ? ' can-act' : ''}${rows.length > MANY ? ' many' : ''}`}>
          <caption class="unseen">Jobs of the fleet</caption>
          <thead>
            <tr>
              <SortHead sort="name" route={route} />
              <th scope="col" class="col-schedule">
                Schedule
              </th>
              <SortHead sort="next" route={route} />
              <SortHead sort="last" route={route} />
              <th scope="col" class="col-success">
                Last success
              </th>
              <th scope="col" class="col-strip">
                Last 50 ticks
              </th>
              {canAct ? (
                <th scope="col" class="col-actions">
                  <span class="unseen">Actions</span>
                </th>
              ) : null}
            </tr>
          </thead>
          <tbody {...hold}>
            {rows.map((job) => (
              <JobRow key={job.name} job={job} isOverdue={isOverdue(job, now)} canAct={canAct} />
            ))}
          </tbody>
        </table>
      )}
      {fleet.isCut ? <p class="cut">There are more jobs than are shown here.</p> : null}
      <OutcomeLegend />
    </>
  );
}

/** No row moves under the pointer, or away from the focus: "run now" would be pressed for another job. */
function useSteadyRows(matching: readonly DashboardJob[], { sort, text, filter }: JobsRoute) {
  const holds = useRef({ pointer: false, focus: false });
  const shown = useRef<{ readonly key: string; readonly names: readonly string[] }>({ key: '', names: [] });
  const key = `${sort} ${filter} ${text}`;
  const isHeld = (holds.current.pointer || holds.current.focus) && shown.current.key === key;
  const rows = isHeld ? inOrder(sorted(matching, sort), shown.current.names) : sorted(matching, sort);
  shown.current = { key, names: rows.map(({ name }) => name) };
  const hold = {
    onPointerEnter: () => (holds.current.pointer = true),
    onPointerLeave: () => (holds.current.pointer = false),
    onFocusIn: () => (holds.current.focus = true),
    onFocusOut: () => (holds.current.focus = false),
  };
  return { rows, hold };
}

function SortHead({ sort, route }: { readonly sort: JobSort; readonly route: JobsRoute }) {
  const isSorted = route.sort === sort;
  const direction = isSorted ? (sort === 'last' ? 'descending' : 'ascending') : undefined;
  return (
    <th scope="col" class={`col-${sort}`} aria-sort={direction}>
      <button type="button" class="sort" onClick={() => replaceRoute({ ...route, sort })}>
        {SORT_LABELS[sort]}
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
          <path d={sort === 'last' ? 'M8 3.5v9M4.5 9 8 12.5 11.5 9' : 'M8 12.5v-9M4.5 7 8 3.5 11.5 7'} />
        </svg>
      </button>
    </th>
  );
}

function NoJobs() {
  return (
    <EmptyNote title="No jobs yet">
      <p>A method with a schedule and a lock becomes a job when its application starts:</p>
      <pre>{`@Cron('0 3 * * *')
@DistributedLock('nightly-report')
async report() { … }`}</pre>
    </EmptyNote>
  );
}
