import { describe, expect, it } from '@jest/globals';
import { jobAddressOf } from './job-address.js';

const at = (search: string, pathname = '/api/v1/crowd/a.b%3D.c') => jobAddressOf({ pathname, search });

describe('the address of a job', () => {
  it('has the signed link', () => expect(at('').link).toBe('a.b=.c'));

  it('has the IDs that the platform appends, and nothing else of the query', () => {
    const turk = { assignmentId: 'A1', hitId: 'H1', workerId: 'W1', turkSubmitTo: 'https://www.mturk.com' };
    expect(at(`?${new URLSearchParams({ ...turk, other: 'x' })}`).ids).toEqual(turk);
    expect(at('?PROLIFIC_PID=P1&STUDY_ID=S1&SESSION_ID=E1').ids).toEqual({
      PROLIFIC_PID: 'P1',
      STUDY_ID: 'S1',
      SESSION_ID: 'E1',
    });
  });

  it('leaves out IDs that are empty', () => expect(at('?assignmentId=A1&hitId=').ids).toEqual({ assignmentId: 'A1' }));

  it('says whether the job is only previewed', () => {
    expect(at('?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE').isPreview).toBe(true);
    expect(at('?assignmentId=A1').isPreview).toBe(false);
    expect(at('').isPreview).toBe(false);
  });
});
