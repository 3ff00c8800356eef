import type { ComponentChildren } from 'preact';
import type { DashboardJob } from '../../../distributed-lock/src/dashboard-feeds/dashboard.model.js';
import { NameList } from '../parts/name.list.js';
import { NameText } from '../parts/name.text.js';
import { OutcomeText } from '../parts/outcome.mark.js';
import { Ago, Instant, Until } from '../parts/time.text.js';

interface JobFactsProps {
  readonly job: DashboardJob;
}

export function JobFacts({ job }: JobFactsProps) {
  const { app, apps, schedule, next, paused, pausedBy, lastSuccess, instances, isFleetKnown, counts } = job;
  const outcomes = Object.entries(counts).filter(([, count]) => count > 0);
  return (
    <dl class="facts">
      <Fact name={apps.length > 1 ? 'Applications' : 'Application'}>
        {apps.length === 0 ? 'unknown' : <NameList names={apps} />}
        {app === undefined || (apps.length === 1 && apps[0] === app) ? null : (
          <div class="sub">
            registered last by <NameText value={app} />
          </div>
        )}
      </Fact>
      <Fact name="Schedule">
        {schedule === undefined ? 'none that is known' : <NameText value={schedule} isMono isWhole />}
      </Fact>
      <Fact name="Next">
        {paused !== undefined ? (
          'none while it is paused'
        ) : next === undefined ? (
          'unknown'
        ) : (
          <>
            <Until at={next} />
            <div class="sub">
              <Instant at={next} />
            </div>
          </>
        )}
      </Fact>
      <Fact name="Last success">
        {lastSuccess === undefined ? (
          'none'
        ) : (
          <>
            <Ago at={lastSuccess} />
            <div class="sub">
              <Instant at={lastSuccess} />
            </div>
          </>
        )}
      </Fact>
      {paused === undefined ? null : (
        <Fact name="Paused">
          since <Instant at={paused} />
          {pausedBy === undefined ? null : (
            <div class="sub by">
              by <NameText value={pausedBy} />
            </div>
          )}
        </Fact>
      )}
      <Fact name={`On in ${instances.length} instance${instances.length === 1 ? '' : 's'}`}>
        {instances.length > 0 ? (
          <NameList names={instances} />
        ) : isFleetKnown ? (
          'none'
        ) : (
          'no instance reports'
        )}
      </Fact>
      <Fact name="Ticks by outcome">
        {outcomes.length === 0 ? 'none' : null}
        <ul class="counts">
          {outcomes.map(([outcome, count]) => (
            <li key={outcome}>
              <OutcomeText outcome={outcome} /> {count}
            </li>
          ))}
        </ul>
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
