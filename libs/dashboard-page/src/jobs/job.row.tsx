import type {
  DashboardJob,
  DashboardRun,
} from '../../../distributed-lock/src/dashboard-feeds/dashboard.model.js';
import { memo } from '../parts/memo.js';
import { NameText } from '../parts/name.text.js';
import { OutcomeText } from '../parts/outcome.mark.js';
import { TickStrip } from '../parts/tick.strip.js';
import { Ago, Instant, Until } from '../parts/time.text.js';
import { fullText } from '../format/instant.text.js';
import { spanText } from '../format/span.text.js';
import { visibleText } from '../format/visible.text.js';
import { hashOf } from '../router.js';
import { JobActions } from './job.actions.js';
import { JobBadges } from './job.badges.js';

interface JobRowProps {
  readonly job: DashboardJob;
  readonly isOverdue: boolean;
  readonly canAct: boolean;
}

/** A row is rendered when its job changes; a second changes only texts in it. */
export const JobRow = memo(({ job, isOverdue, canAct }: JobRowProps) => {
  const { name, apps, schedule, next, paused, lastRun, lastSuccess, strip } = job;
  return (
    <tr>
      <th scope="row">
        <a href={hashOf({ page: 'job', name })}>
          <NameText value={name} />
        </a>
        {apps.map((app) => (
          <div class="sub" key={app}>
            <NameText value={app} />
          </div>
        ))}
        <JobBadges job={job} isOverdue={isOverdue} />
      </th>
      <td data-label="Schedule">
        {schedule === undefined ? <Nothing /> : <NameText value={schedule} isMono />}
      </td>
      <td data-label="Next" class={isOverdue ? 'text-warn' : paused === undefined ? undefined : 'muted'}>
        {paused !== undefined ? (
          <span title={`Paused since ${fullText(paused)}`}>paused</span>
        ) : next === undefined ? (
          <Nothing />
        ) : (
          <>
            <Until at={next} />
            <div class="sub">
              <Instant at={next} />
            </div>
          </>
        )}
      </td>
      <td data-label="Last run">{lastRun === undefined ? <Nothing /> : <LastRun run={lastRun} />}</td>
      <td data-label="Last success">{lastSuccess === undefined ? <Nothing /> : <Ago at={lastSuccess} />}</td>
      <td data-label="Last ticks">
        <TickStrip strip={strip} paused={paused} />
      </td>
      {canAct ? (
        <td class="cell-actions">
          <JobActions job={job} />
        </td>
      ) : null}
    </tr>
  );
});

function LastRun({ run: { outcome, start, end, instance } }: { readonly run: DashboardRun }) {
  return (
    <>
      <span title={`On ${visibleText(instance)}`}>
        <OutcomeText outcome={outcome} />
      </span>
      <div class="sub">
        <Ago at={start} />
        {end === undefined ? null : `, ${spanText(end - start)}`}
      </div>
    </>
  );
}

const Nothing = () => <span class="muted">–</span>;
