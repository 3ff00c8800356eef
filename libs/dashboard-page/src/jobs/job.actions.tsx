import type { DashboardJob } from '../../../distributed-lock/src/dashboard-feeds/dashboard.model.js';
import { targetOf } from '../actions/action.sender.js';
import { useBoard, useCanAct } from '../board.js';
import { visibleText } from '../format/visible.text.js';
import { ActionButton } from '../parts/action.button.js';
import { useStore } from '../store.js';

interface JobActionsProps {
  readonly job: DashboardJob;
}

const ICONS = {
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  resume: 'M5 3.5l7 4.5-7 4.5z',
  'run-now': 'M8.8 2.5 4.5 9H8l-.8 4.5L11.5 7H8z',
};
type JobAction = keyof typeof ICONS;

const LABELS: Readonly<Record<JobAction, string>> = {
  pause: 'Pause',
  resume: 'Resume',
  'run-now': 'Run now',
};

/** Pause or resume, and run now. */
export function JobActions({ job }: JobActionsProps) {
  const { actions } = useBoard();
  const pending = useStore(actions.pending);
  if (!useCanAct()) return null;
  const offered: readonly JobAction[] = [job.paused === undefined ? 'pause' : 'resume', 'run-now'];
  return (
    <div class="actions">
      {offered.map((action, place) => (
        <ActionButton
          key={place}
          of={visibleText(job.name)}
          label={LABELS[action]}
          isPending={pending.has(targetOf({ action, job: job.name }))}
          icon={
            <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
              <path d={ICONS[action]} />
            </svg>
          }
          onPress={() => void actions.send({ action, job: job.name })}
        />
      ))}
    </div>
  );
}
