import type { DatasetSummary } from '@assay/api-client/angular';

export function useName(use: DatasetSummary['use']): string {
  return use === 'scoring' ? $localize`ranks` : $localize`is shown`;
}

export function visibilityName(visibility: DatasetSummary['visibility']): string {
  switch (visibility) {
    case 'hidden':
      return $localize`hidden`;
    case 'inputs':
      return $localize`inputs alone`;
    case 'public':
      return $localize`public`;
  }
}

export function statusName(status: DatasetSummary['status']): string {
  switch (status) {
    case 'active':
      return $localize`active`;
    case 'proposed':
      return $localize`proposed`;
    case 'retired':
      return $localize`retired`;
  }
}
