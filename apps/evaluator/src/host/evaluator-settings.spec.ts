import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { EvaluatorSettings } from './evaluator-settings.js';

const REQUIRED = { ASSAY_URL: 'https://assay.example.org/', ASSAY_EVALUATOR_TOKEN: 'assay_secret' };

describe('EvaluatorSettings', () => {
  it('need an address and a token, and no database', () => {
    const settings = new EvaluatorSettings({ ...REQUIRED, ASSAY_HOME: 'home', ASSAY_RUN_CONCURRENCY: '2' });

    expect(settings).toMatchObject({ url: REQUIRED.ASSAY_URL, home: resolve('home'), runConcurrency: 2 });
    expect(settings.deployments).toEqual({
      most: 8,
      slowSeconds: 10,
      idleSeconds: 120,
      turnSeconds: 600,
    });
    expect(new EvaluatorSettings({ ...REQUIRED, ASSAY_EVALUATOR_HOME: 'own', ASSAY_HOME: 'home' }).home).toBe(
      resolve('own'),
    );
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['a missing address', { ASSAY_EVALUATOR_TOKEN: 'assay_secret' }, 'Set ASSAY_URL'],
    ['an address that is no URL', { ...REQUIRED, ASSAY_URL: 'assay.example.org' }, 'Set ASSAY_URL'],
    ['another protocol', { ...REQUIRED, ASSAY_URL: 'ftp://assay.example.org' }, 'Set ASSAY_URL'],
    ['a password', { ...REQUIRED, ASSAY_URL: 'https://a:b@assay.example.org' }, 'ASSAY_URL'],
    ['a token with a line break', { ...REQUIRED, ASSAY_EVALUATOR_TOKEN: 'assay_secret\n' }, 'ASSAY_EVALUATOR_TOKEN'],
  ])('refuse %s without showing the token', (_, source, expected) => {
    expect(() => new EvaluatorSettings(source)).toThrow(expected);
    expect(() => new EvaluatorSettings(source)).not.toThrow('assay_secret');
  });
});
