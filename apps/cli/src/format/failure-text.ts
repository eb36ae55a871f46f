import type { Failure } from '@assay/contracts/models';

const WHOSE = {
  model: "the model's own fault",
  task: 'the fault of the task, not of the model',
  platform: 'the fault of the platform, not of the model',
} as const;

/** Formats a failure: what happened, who is responsible, and what to do next. */
export function failureText({ code, fault, message, next }: Failure): string {
  return `${message} (${code}, ${WHOSE[fault]})\n→ ${next}`;
}
