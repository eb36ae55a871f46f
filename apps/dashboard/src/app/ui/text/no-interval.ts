import type { Estimate } from '@assay/api-client/angular';

export type NoIntervalReason = NonNullable<Estimate['why']>;

/** Returns why an estimate has no interval, in words. */
export function noIntervalText(why: NoIntervalReason): string {
  switch (why) {
    case 'too few examples':
      return $localize`too few examples`;
    case 'too few clusters':
      return $localize`too few clusters`;
    case 'no variation':
      return $localize`no variation`;
  }
}
