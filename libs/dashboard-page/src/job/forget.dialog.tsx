import { useState } from 'preact/hooks';
import type { DashboardJob } from '../../../distributed-lock/src/dashboard-feeds/dashboard.model.js';
import { useBoard } from '../board.js';
import { ConfirmDialog } from '../parts/confirm.dialog.js';

interface ForgetDialogProps {
  readonly job: DashboardJob;
  readonly onClosed: () => void;
}

/** Forgetting deletes what Redis has of a job: it is for one that no application has any more. */
export function ForgetDialog({ job, onClosed }: ForgetDialogProps) {
  const { actions } = useBoard();
  const [force, setForce] = useState(false);
  const isRunning = job.running !== undefined;
  return (
    <ConfirmDialog
      title="Forget this job?"
      name={job.name}
      label="Forget the job"
      onConfirm={() =>
        void actions.send({ action: 'forget', job: job.name, ...(isRunning && force ? { force } : {}) })
      }
      onClosed={onClosed}
    >
      <p>
        Its records, its pause and its place in the schedule are deleted in Redis. An application that still
        has the job registers it again when it starts.
      </p>
      {isRunning ? (
        <label class="check">
          <input
            type="checkbox"
            checked={force}
            onChange={(event) => setForce(event.currentTarget.checked)}
          />
          <span>Also while it runs: the run continues without its record.</span>
        </label>
      ) : null}
    </ConfirmDialog>
  );
}
