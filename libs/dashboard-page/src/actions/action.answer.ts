import { isRefusal, type AnsweredRequest } from '../feed/refusal.js';
import type { DashboardAnswer } from '../../../distributed-lock/src/dashboard-feeds/dashboard.model.js';

/** The answer of an action, or what stands in for it where a guard or a proxy answered. */
export function readAnswer(response: AnsweredRequest, body: string): DashboardAnswer {
  const answer = parsed(body);
  if (isAnswer(answer)) return { isDone: answer.isDone && response.ok, message: answer.message };
  if (isRefusal(response))
    return {
      isDone: false,
      message: `The application refused it${response.ok ? '' : ` (${response.status})`}. The session may have ended: reload the page.`,
    };
  return {
    isDone: false,
    message: `The answer was not one of the dashboard (status ${response.status}). Whether the action was done is not known.`,
  };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function isAnswer(answer: unknown): answer is DashboardAnswer {
  if (typeof answer !== 'object' || answer === null) return false;
  return (
    'isDone' in answer &&
    typeof answer.isDone === 'boolean' &&
    'message' in answer &&
    typeof answer.message === 'string'
  );
}
