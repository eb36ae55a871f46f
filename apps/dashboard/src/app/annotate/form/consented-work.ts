import { computed, effect, inject, type Signal, untracked } from '@angular/core';
import { consentAskedResource } from '@assay/api-client/angular';
import type { Problem } from '../../session/problem.js';
import { TaskContext } from '../../task/task-context.js';

/**
 * Loads the consent that the task requires and begins the work once it is given. Begins again after
 * consent to a new version, which `problem` asks for. Call in a constructor (injection context).
 */
export function consentFor(work: {
  readonly begin: () => Promise<void>;
  readonly problem: Signal<Problem | null | undefined>;
}): ReturnType<typeof consentAskedResource> {
  const consent = consentAskedResource(inject(TaskContext).path);
  const mayBegin = computed(() => consent.hasValue() && consent.value().isEnough);
  let hasBegun = false;
  effect(() => {
    if (!mayBegin() || hasBegun) return;
    hasBegun = true;
    untracked(() => void work.begin());
  });
  effect(() => {
    // the consent that was given is for an older version
    if (work.problem()?.code !== 'consent_needed') return;
    hasBegun = false;
    untracked(() => consent.reload());
  });
  return consent;
}
