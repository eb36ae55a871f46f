import type { Failure } from '@assay/contracts/models';

const WHOSE = {
  model: 'caused by the model',
  task: 'caused by the task, not by the model',
  platform: 'caused by the platform, not by the model',
} as const;

/** Formats a failure: what happened, who is responsible, and what to do next. */
export function failureText({ code, fault, message, next }: Failure): string {
  return `${message} (${code}, ${WHOSE[fault]})\n→ ${next}`;
}
