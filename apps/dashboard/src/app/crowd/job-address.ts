import { InjectionToken } from '@angular/core';
import type { StartCrowdSession } from '@assay/api-client/angular';

/** The query parameters by which Mechanical Turk and Prolific identify worker and assignment. */
const IDS = [
  'assignmentId',
  'hitId',
  'workerId',
  'turkSubmitTo',
  'PROLIFIC_PID',
  'STUDY_ID',
  'SESSION_ID',
] as const satisfies readonly (keyof StartCrowdSession)[];

/** The assignment ID that Mechanical Turk sends to workers who have not accepted the HIT. */
const PREVIEW = 'ASSIGNMENT_ID_NOT_AVAILABLE';

/** The parts of the page's address: the signed link, and what the platform appended. */
export interface JobAddress {
  readonly link: string;
  readonly ids: Partial<Pick<StartCrowdSession, (typeof IDS)[number]>>;
  /** True if the worker has not accepted the job yet. */
  readonly isPreview: boolean;
}

/** Reads an address of the form `/api/v1/crowd/LINK?assignmentId=…`. */
export function jobAddressOf({ pathname, search }: Pick<Location, 'pathname' | 'search'>): JobAddress {
  const query = Object.fromEntries(new URLSearchParams(search));
  return {
    link: decodeURIComponent(pathname.split('/').at(-1) ?? ''),
    ids: Object.fromEntries(IDS.flatMap((name) => (query[name] ? [[name, query[name]]] : []))),
    isPreview: query['assignmentId'] === PREVIEW,
  };
}

/** The address of this page. */
export const JOB_ADDRESS = new InjectionToken<JobAddress>('JOB_ADDRESS', { factory: () => jobAddressOf(location) });
