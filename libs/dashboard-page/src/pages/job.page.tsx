import { useState } from 'preact/hooks';
import { isOverdue } from '../../../distributed-lock/src/contracts/overdue.js';
import type {
  DashboardJob,
  JobEvent,
} from '../../../distributed-lock/src/dashboard-feeds/dashboard.model.js';
import { targetOf } from '../actions/action.sender.js';
import { useBoard, useCanAct } from '../board.js';
import { useClock } from '../clock.js';
import { visibleText } from '../format/visible.text.js';
import { DurationChart } from '../job/duration.chart.js';
import { ForgetDialog } from '../job/forget.dialog.js';
import { JobFacts } from '../job/job.facts.js';
import { RecordsTable } from '../job/records.table.js';
import { JobActions } from '../jobs/job.actions.js';
import { JobBadges } from '../jobs/job.badges.js';
import { ActionButton } from '../parts/action.button.js';
import { EmptyNote, LoadingNote } from '../parts/empty.note.js';
import { NameText } from '../parts/name.text.js';
import { ALL_JOBS, hashOf, LONG } from '../router.js';
import { useStore } from '../store.js';

interface JobPageProps {
  readonly name: string;
  readonly data: JobEvent | undefined;
}

export function JobPage({ name, data }: JobPageProps) {
  const job = data?.job;
  return (
    <>
      <p class="trail">
        <a href={hashOf(ALL_JOBS)}>Jobs</a>
      </p>
      <div class="heading">
        <h1 tabIndex={-1}>
          <NameText value={name} isWhole={name.length < 200} />
        </h1>
        {job ? <AllActions job={job} /> : null}
      </div>
      {data === undefined ? <LoadingNote /> : null}
      {job === null ? <NoJob /> : null}
      {data !== undefined && job ? <KnownJob job={job} data={data} /> : null}
    </>
  );
}

function KnownJob({ job, data }: { readonly job: DashboardJob; readonly data: JobEvent }) {
  const { clock } = useBoard();
  const isLate = useClock(clock, (now) => isOverdue(job, now));
  return (
    <>
      <JobBadges job={job} isOverdue={isLate} />
      <JobFacts job={job} />
      {data.runs.length === 0 ? (
        <EmptyNote title="No ticks yet">
          <p>The first one is recorded when it is due.</p>
        </EmptyNote>
      ) : (
        <>
          <DurationChart runs={data.runs} at={data.at} />
          <RecordsTable runs={data.runs} />
          {data.isCut ? <MoreRecords name={job.name} shown={data.runs.length} /> : null}
        </>
      )}
    </>
  );
}

function MoreRecords({ name, shown }: { readonly name: string; readonly shown: number }) {
  return (
    <p class="cut">
      {shown < Number(LONG) ? (
        <a href={hashOf({ page: 'job', name, isLong: true })}>Show up to {LONG} records</a>
      ) : (
        'There are more records than are shown here: the command line and getRuns() have them.'
      )}
    </p>
  );
}

function NoJob() {
  return (
    <EmptyNote title="This job is not there">
      <p>
        No job has this name, or it was forgotten. An application with this job registers it when it starts.
      </p>
      <p>
        <a href={hashOf(ALL_JOBS)}>Show all jobs</a>
      </p>
    </EmptyNote>
  );
}

function AllActions({ job }: { readonly job: DashboardJob }) {
  const { actions } = useBoard();
  const pending = useStore(actions.pending);
  const [isAsking, setAsking] = useState(false);
  if (!useCanAct()) return null;
  const target = targetOf({ action: 'forget', job: job.name });
  return (
    <div class="actions">
      <JobActions job={job} />
      <ActionButton
        of={visibleText(job.name)}
        label="Forget …"
        isDangerous
        isPending={pending.has(target)}
        onPress={() => setAsking(true)}
      />
      {isAsking ? <ForgetDialog job={job} onClosed={() => setAsking(false)} /> : null}
    </div>
  );
}
