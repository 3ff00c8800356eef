import type { DashboardLeadership } from '../../../distributed-lock/src/dashboard-feeds/dashboard.model.js';
import type { FleetData } from '../feed/feed.state.js';
import { Badge } from '../parts/badge.js';
import { EmptyNote, LoadingNote } from '../parts/empty.note.js';
import { NameList } from '../parts/name.list.js';
import { NameText } from '../parts/name.text.js';

interface FleetPageProps {
  readonly fleet: FleetData | undefined;
}

export function LeadersPage({ fleet }: FleetPageProps) {
  return (
    <>
      <h1 tabIndex={-1}>Leaders</h1>
      {fleet === undefined ? <LoadingNote /> : null}
      {fleet === undefined || fleet.leaderships.length > 0 ? null : (
        <EmptyNote title="No leaderships">
          <p>
            A leadership is shown while an instance that reports itself is a candidate for it: a service with{' '}
            <code>@LeaderOnly</code>, for example.
          </p>
        </EmptyNote>
      )}
      {fleet === undefined || fleet.leaderships.length === 0 ? null : (
        <LeadersTable leaderships={fleet.leaderships} />
      )}
    </>
  );
}

function LeadersTable({ leaderships }: { readonly leaderships: readonly DashboardLeadership[] }) {
  return (
    <table class="cards leaders">
      <caption class="unseen">Leaderships of the fleet</caption>
      <thead>
        <tr>
          <th scope="col">Key</th>
          <th scope="col">Leader</th>
          <th scope="col">Candidates</th>
        </tr>
      </thead>
      <tbody>
        {leaderships.map(({ key, leader, candidates }) => (
          <tr key={key}>
            <th scope="row">
              <NameText value={key} />
            </th>
            <td data-label="Leader">
              {leader === undefined ? <Badge tone="warn">no leader</Badge> : <NameText value={leader} />}
            </td>
            <td data-label="Candidates">
              {candidates.length === 0 ? (
                <span class="muted">none</span>
              ) : (
                <NameList names={candidates} shown={6} />
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
