import type { DashboardJob } from '../../../distributed-lock/src/dashboard-feeds/dashboard.model.js';
import { fullText } from '../format/instant.text.js';
import { Badge } from '../parts/badge.js';
import { NameText } from '../parts/name.text.js';
import { Ago, Since } from '../parts/time.text.js';
import { isNowhere } from './job.states.js';

interface JobBadgesProps {
  readonly job: DashboardJob;
  readonly isOverdue: boolean;
}

/** What is worth to know of a job now: none for one that waits for its next tick. */
export function JobBadges({ job, isOverdue }: JobBadgesProps) {
  const { running, paused, pausedBy, queued, handedOver, apps, schedule, isFleetKnown } = job;
  const hasNone = [running, paused, queued, handedOver].every((each) => each === undefined);
  if (hasNone && !isOverdue && !isNowhere(job) && apps.length < 2) return null;
  return (
    <div class="badges">
      {running === undefined ? null : (
        <Badge tone="info">
          running for <Since at={running.start} /> on <NameText value={running.instance} />
        </Badge>
      )}
      {paused === undefined ? null : (
        <Badge tone="idle" title={`Paused since ${fullText(paused)}`}>
          paused <Ago at={paused} />
          {pausedBy === undefined ? null : (
            <>
              {' by '}
              <NameText value={pausedBy} />
            </>
          )}
        </Badge>
      )}
      {queued === undefined ? null : (
        <Badge tone="info" title="A tick waits until the current run ends">
          queued <Ago at={queued} />
        </Badge>
      )}
      {handedOver === undefined ? null : (
        <Badge tone="info" title="A shutdown stopped the run; another instance makes the next attempt">
          handed over <Ago at={handedOver} />
        </Badge>
      )}
      {isOverdue ? (
        <Badge tone="warn" title="A tick is due, and no instance has claimed it">
          overdue
        </Badge>
      ) : null}
      {isOverdue && schedule !== undefined && !isFleetKnown ? (
        <Badge tone="warn" title="None is alive, or all of them have instanceInfo: false">
          no instance reports
        </Badge>
      ) : null}
      {apps.length > 1 ? (
        <Badge
          tone="warn"
          title="Applications with one namePrefix have a job of this name: each tick runs in one of them"
        >
          of {apps.length} applications
        </Badge>
      ) : null}
      {isNowhere(job) ? (
        <Badge tone="warn" title="Of the instances that report, the job is on in none">
          no instance has it
        </Badge>
      ) : null}
    </div>
  );
}
