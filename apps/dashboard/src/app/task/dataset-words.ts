import type { DatasetSummary } from '@assay/api-client/angular';

export const USE_NAMES: Readonly<Record<DatasetSummary['use'], string>> = {
  scoring: $localize`ranks`,
  reporting: $localize`is shown`,
};

export const VISIBILITY_NAMES: Readonly<Record<DatasetSummary['visibility'], string>> = {
  hidden: $localize`hidden`,
  inputs: $localize`inputs alone`,
  public: $localize`public`,
};

export const STATUS_NAMES: Readonly<Record<DatasetSummary['status'], string>> = {
  active: $localize`active`,
  proposed: $localize`proposed`,
  retired: $localize`retired`,
};
