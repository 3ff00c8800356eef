import type { DashboardRun } from '../../../distributed-lock/src/dashboard-feeds/dashboard.model.js';
import { spanText } from '../format/span.text.js';
import { visibleLines } from '../format/visible.text.js';
import { memo } from '../parts/memo.js';
import { NameText } from '../parts/name.text.js';
import { OutcomeText } from '../parts/outcome.mark.js';
import { Instant, Since } from '../parts/time.text.js';
import { delayOf, isRun } from './run.figures.js';

interface RecordsTableProps {
  /** Newest first. */
  readonly runs: readonly DashboardRun[];
}

/** With more rows, those outside of the window are left out of the layout. */
const MANY = 100;

/** What few jobs have gets a column only where there is something in it. */
interface Columns {
  readonly requestedBy: boolean;
  readonly token: boolean;
  readonly reason: boolean;
}

export function RecordsTable({ runs }: RecordsTableProps) {
  const has = (key: keyof Columns) => runs.some((run) => run[key] !== undefined);
  const [requestedBy, token, reason] = [has('requestedBy'), has('token'), has('reason')];
  return (
    <table class={`cards records${runs.length > MANY ? ' many' : ''}`}>
      <caption>Records, newest first</caption>
      <thead>
        <tr>
          <th scope="col" class="col-tick">
            Tick
          </th>
          <th scope="col" class="col-outcome">
            Outcome
          </th>
          <th scope="col" class="col-number col-attempt">
            Attempt
          </th>
          <th scope="col" class="col-started">
            Started
          </th>
          <th scope="col" class="col-number col-span">
            Delay
          </th>
          <th scope="col" class="col-number col-span">
            Took
          </th>
          <th scope="col" class="col-instance">
            Instance
          </th>
          {requestedBy ? (
            <th scope="col" class="col-requested">
              Requested by
            </th>
          ) : null}
          {token ? (
            <th scope="col" class="col-number col-token">
              Token
            </th>
          ) : null}
          {reason ? (
            <th scope="col" class="col-reason">
              Reason
            </th>
          ) : null}
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <RecordRow
            key={`${run.tick} ${run.attempt} ${run.start}`}
            // A record that has not changed is another object with the same values in each event.
            record={JSON.stringify(run)}
            requestedBy={requestedBy}
            token={token}
            reason={reason}
          />
        ))}
      </tbody>
    </table>
  );
}

const RecordRow = memo(({ record, ...columns }: Columns & { readonly record: string }) => {
  const run = JSON.parse(record) as DashboardRun;
  const { tick, after, count, outcome, attempt, start, end, instance, app, requestedBy, token, reason } = run;
  const delay = delayOf(run);
  return (
    <tr>
      <th scope="row">
        <Instant at={tick} />
        {after === undefined ? null : (
          <div
            class="sub"
            title="The record stands for all ticks that were due later than this, up to the tick above"
          >
            all after <Instant at={after} />
          </div>
        )}
      </th>
      <td data-label="Outcome">
        <OutcomeText outcome={outcome} />
        {count === undefined ? null : <div class="sub">{count === 1 ? '1 tick' : `${count} ticks`}</div>}
      </td>
      <td data-label="Attempt" class="number">
        {isRun(run) ? attempt : null}
      </td>
      <td data-label="Started">{isRun(run) ? <Instant at={start} /> : null}</td>
      <td data-label="Delay" class="number">
        {delay === undefined ? null : spanText(delay)}
      </td>
      <td data-label="Took" class="number">
        {isRun(run) && end !== undefined ? spanText(end - start) : null}
        {outcome === 'running' ? <Since at={start} /> : null}
      </td>
      <td data-label="Instance">
        <div class="by">
          {outcome === 'paused' ? <span class="muted">resumed by </span> : null}
          <NameText value={instance} />
        </div>
        <div class="sub">
          <NameText value={app} />
        </div>
      </td>
      {columns.requestedBy ? (
        <td data-label="Requested by">
          {requestedBy === undefined ? null : <NameText value={requestedBy} />}
        </td>
      ) : null}
      {columns.token ? (
        <td data-label="Token" class="number">
          {token === undefined ? null : <NameText value={token} />}
        </td>
      ) : null}
      {columns.reason ? (
        <td data-label="Reason">{reason === undefined ? null : <Reason text={reason} />}</td>
      ) : null}
    </tr>
  );
});

/** More is behind a button. */
const SHORT = 140;

function Reason({ text }: { readonly text: string }) {
  const lines = visibleLines(text);
  const [first = ''] = lines.split('\n', 1);
  if (lines.length <= SHORT && first === lines) return <bdi class="reason">{lines}</bdi>;
  return (
    <details class="reason">
      <summary>
        <bdi>{first.slice(0, SHORT)} …</bdi>
      </summary>
      <pre>{lines}</pre>
    </details>
  );
}
