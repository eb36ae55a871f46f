import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ResultBundle } from '@assay/contracts/results';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { result, signed } from '../../../../test/factories/models/signed-results.js';
import { verifyCommand } from './verify.command.js';

describe('assay verify', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-verify-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** The text that the command prints for a signed result. */
  async function printed(value: ResultBundle): Promise<string> {
    const file = join(folder, 'result.json');
    await writeFile(file, JSON.stringify(signed(value)));
    const written: string[] = [];
    const write = jest.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    await verifyCommand().parseAsync([file], { from: 'user' });
    write.mockRestore();
    return written.join('');
  }

  it('names the day before which scores were signed with a key that is retired', async () => {
    const [evaluation] = result.evaluations;
    const retiredKey = { keyId: '0'.repeat(16), retiredAt: '2026-02-03T04:05:06.000Z' };
    expect(await printed({ ...result, evaluations: [{ ...evaluation!, retiredKey }] })).toContain(
      'Some scores are older than 2026-02-03, when the signing key of that time was retired.',
    );
    expect(await printed(result)).not.toContain('retired');
  });

  it('names the evaluators of users that ran the model', async () => {
    const [evaluation] = result.evaluations;
    const evaluators = [{ name: 'gpu-1', owner: 'ada' }];
    const own = { ...evaluation!, evaluators };
    expect(await printed({ ...result, evaluations: [own, { ...own, dataset: 'round-2' }] })).toContain(
      'Evaluators of users ran the model: gpu-1 (ada).',
    );
    expect(await printed(result)).not.toContain('valuators');
  });
});
