import { computed, effect, inject, type Signal, untracked } from '@angular/core';
import { consentAskedResource } from '../../../client/@angular/common.gen.js';
import type { Problem } from '../../session/problem.js';
import { TaskContext } from '../../task/task-context.js';

/** Work that needs a person's consent: `begin` it once, and tell by `problem` that a newer version is to be agreed to. */
export interface ConsentedWork {
  readonly begin: () => Promise<void>;
  readonly problem: Signal<Problem | null>;
}

/** What the task asks people to agree to; the work begins when that is enough, and again after a new version was agreed to. In a constructor. */
export function consentFor(work: ConsentedWork): ReturnType<typeof consentAskedResource> {
  const { slug } = inject(TaskContext);
  const consent = consentAskedResource(() => (slug() ? { path: { slug: slug() } } : undefined));
  const mayBegin = computed(() => consent.hasValue() && consent.value().isEnough);
  let hasBegun = false;
  effect(() => {
    if (!mayBegin() || hasBegun) return;
    hasBegun = true;
    untracked(() => void work.begin());
  });
  effect(() => {
    // what was agreed to has a new version since
    if (work.problem()?.code !== 'consent_needed') return;
    hasBegun = false;
    untracked(() => consent.reload());
  });
  return consent;
}
