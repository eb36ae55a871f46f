import type { Round } from '@assay/api-client/angular';

/** Returns the name and purpose of a part of a round's data. */
export function releaseName(part: Round['releases'][number]['part']): string {
  switch (part) {
    case 'train':
      return $localize`train, to train models on; never evaluated`;
    case 'dev':
      return $localize`dev, public, to look at`;
    case 'test':
      return $localize`test, hidden, decides ranks`;
    case 'fooling':
      return $localize`fooling, what of test fooled its model`;
  }
}
