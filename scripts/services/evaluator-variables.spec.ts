import { Environment } from '@assay/contracts';
import { describe, expect, it } from '@jest/globals';
import { EvaluatorEnvironment } from '../../apps/evaluator/src/host/evaluator-settings.js';
import { evaluatorVariables } from './evaluator-variables.js';

const namesIn = (names: readonly string[]): string[] =>
  Object.keys(evaluatorVariables(Object.fromEntries(names.map((name) => [name, 'value']))));

/** The settings that `scripts/up` sets itself. */
const OWN = ['ASSAY_URL', 'ASSAY_EVALUATOR_TOKEN', 'ASSAY_EVALUATOR_HOME', 'ASSAY_HOME'];

describe('evaluatorVariables', () => {
  it('includes all settings of evaluators', () => {
    const settings = Object.keys(EvaluatorEnvironment.shape).filter((name) => !OWN.includes(name));
    expect(settings).toContain('ASSAY_RUN_CONCURRENCY');
    expect(namesIn(settings)).toEqual(settings);
  });

  it('includes no other setting of the service, and no other secret', () => {
    const others = Object.keys(Environment.shape).filter((name) => !(name in EvaluatorEnvironment.shape));
    expect(others).toEqual(expect.arrayContaining(['DATABASE_URL', 'REDIS_URL', 'SMTP_URL', 'ASSAY_LEASE_SECONDS']));
    expect(namesIn([...others, ...OWN, 'ASSAY_TOKEN', 'PGPASSWORD', 'AWS_SECRET_ACCESS_KEY'])).toEqual([]);
  });
});
