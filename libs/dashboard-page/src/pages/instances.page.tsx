import type { DashboardInstance } from '../../../distributed-lock/src/dashboard-feeds/dashboard.model.js';
import { useBoard } from '../board.js';
import { useClock } from '../clock.js';
import type { FleetData } from '../feed/feed.state.js';
import { usualVersion } from '../instances/usual.version.js';
import { Badge } from '../parts/badge.js';
import { EmptyNote, LoadingNote } from '../parts/empty.note.js';
import { NameText } from '../parts/name.text.js';
import { Ago } from '../parts/time.text.js';
import { hashOf } from '../router.js';

interface FleetPageProps {
  readonly fleet: FleetData | undefined;
}

/** An instance reports every ten seconds; after this many ms without a report something is wrong with it. */
const LATE = 25_000;

export function InstancesPage({ fleet }: FleetPageProps) {
  return (
    <>
      <h1 tabIndex={-1}>Instances</h1>
      {fleet === undefined ? <LoadingNote /> : null}
      {fleet === undefined || fleet.instances.length > 0 ? null : (
        <EmptyNote title="No instance reports itself">
          <p>
            An instance reports unless the option <code>instanceInfo</code> of its module is{' '}
            <code>false</code>. Jobs and locks are shown without reports, but not on which instances they are.
          </p>
        </EmptyNote>
      )}
      {fleet === undefined || fleet.instances.length === 0 ? null : (
        <InstancesTable instances={fleet.instances} />
      )}
    </>
  );
}

function InstancesTable({ instances }: { readonly instances: readonly DashboardInstance[] }) {
  const usual = usualVersion(instances);
  return (
    <table class="cards instances">
      <caption class="unseen">Instances that report themselves</caption>
      <thead>
        <tr>
          <th scope="col" class="col-instance">
            Instance
          </th>
          <th scope="col" class="col-app">
            Application
          </th>
          <th scope="col" class="col-version">
            Version
          </th>
          <th scope="col" class="col-age">
            Started
          </th>
          <th scope="col" class="col-age">
            Last report
          </th>
          <th scope="col" class="col-number">
            Held
          </th>
          <th scope="col" class="col-number">
            Waiting
          </th>
          <th scope="col">Jobs</th>
        </tr>
      </thead>
      <tbody>
        {instances.map((instance) => (
          <InstanceRow key={instance.id} instance={instance} isOdd={instance.version !== usual} />
        ))}
      </tbody>
    </table>
  );
}

interface InstanceRowProps {
  readonly instance: DashboardInstance;
  /** Whether its version is not that of most. */
  readonly isOdd: boolean;
}

function InstanceRow({ instance, isOdd }: InstanceRowProps) {
  const { id, app, host, pid, version, started, seen, held, waiting } = instance;
  const { clock } = useBoard();
  const isLate = useClock(clock, (now) => now - seen > LATE);
  return (
    <tr>
      <th scope="row">
        <NameText value={`${host}:${pid}`} />
        <div class="sub">
          <NameText value={id} isMono />
        </div>
      </th>
      <td data-label="Application">
        <NameText value={app} />
      </td>
      <td data-label="Version">
        <NameText value={version} />
        {isOdd ? (
          <Badge tone="warn" title="Most instances have another version">
            differs
          </Badge>
        ) : null}
      </td>
      <td data-label="Started">
        <Ago at={started} />
      </td>
      <td data-label="Last report" class={isLate ? 'text-warn' : undefined}>
        <Ago at={seen} />
        {isLate ? (
          <Badge tone="warn" title="An instance reports every ten seconds">
            late
          </Badge>
        ) : null}
      </td>
      <td data-label="Held" class="number">
        {held}
      </td>
      <td data-label="Waiting" class="number">
        {waiting}
      </td>
      <td data-label="Jobs">
        <JobList instance={instance} />
      </td>
    </tr>
  );
}

function JobList({ instance: { jobs, jobsInAll, jobsOn } }: { readonly instance: DashboardInstance }) {
  const off = jobsInAll - jobsOn;
  const hidden = jobsInAll - jobs.length;
  if (jobsInAll === 0) return <span class="muted">none</span>;
  return (
    <details class="more">
      <summary>
        {jobsOn} on{off === 0 ? '' : `, ${off} off`}
      </summary>
      <ul class="plain">
        {jobs.map(({ job, isOn }) => (
          <li key={job}>
            <a href={hashOf({ page: 'job', name: job })}>
              <NameText value={job} />
            </a>
            {isOn ? null : <span class="muted"> off</span>}
          </li>
        ))}
        {hidden === 0 ? null : <li class="muted">and {hidden} more</li>}
      </ul>
    </details>
  );
}
