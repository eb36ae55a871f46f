import {
  type FakeModel,
  fakeModel,
  FakeSandboxDriver,
  type SandboxSpecification,
  type StartOutcome,
} from '@assay/sandbox';
import type { AdmittedImage } from '@assay/submissions/artifacts';
import { describe, expect, it } from '@jest/globals';
import { startFailure } from './model-sandbox.js';

describe('a model that does not start', () => {
  const admitted = (unreadable: readonly string[]): AdmittedImage => ({
    port: 8080,
    protocol: null,
    unpackedBytes: 1,
    unreadable,
  });

  async function failedStart(model: FakeModel): Promise<Exclude<StartOutcome, { kind: 'ready' }>> {
    const specification: SandboxSpecification = {
      image: 'image',
      environment: {},
      port: 8080,
      limits: { memory: 1e9, cpus: 1, pids: 64, startSeconds: 60 },
      runtime: 'runc',
      data: 'readable',
      labels: { run: 'run-1', attempt: 1 },
    };
    const outcome = await new FakeSandboxDriver({ image: model }).start(specification, new AbortController().signal);
    if (outcome.kind === 'ready') throw new Error('it has started');
    return outcome;
  }

  it('receives the files that its user cannot read, which it cannot see itself', async () => {
    const outcome = await failedStart(fakeModel.exits(1, 'PermissionError'));

    const { code, message } = startFailure(outcome, admitted(['/root/app', '/srv/weights']));

    const without = startFailure(outcome, admitted([]));
    expect({ code, message }).toEqual({
      code: without.code,
      message: `${without.message} It runs as uid 65534, which cannot read "/root/app", "/srv/weights".`,
    });
  });

  it('is not told of files where it can read all', async () => {
    const { message } = startFailure(await failedStart(fakeModel.exits(3)), admitted([]));

    expect(message).not.toContain('65534');
    expect(message).toContain('3');
  });
});
