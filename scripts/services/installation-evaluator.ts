import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { EvaluatorRegistered, RegisteredEvaluators } from '@assay/contracts/evaluators';
import { ApiClient, ApiRefusal } from './api-client.js';

/** The most characters of the name of an evaluator. */
const LONGEST_NAME = 60;
const [UNAUTHENTICATED, CONFLICT] = [401, 409];

export interface EvaluatorPlan {
  /** `ASSAY_HOME`, which contains the administrator's token and stores that of the evaluator. */
  readonly home: string;
  /** Address of the API, without a trailing slash. */
  readonly address: string;
  readonly name: string;
}

/** Returns the default name of an installation's evaluator: its host, and a hash of `ASSAY_HOME`. */
export function evaluatorName(home: string, host = hostname()): string {
  const hash = createHash('sha256').update(home).digest('hex').slice(0, 8);
  return `${host.replaceAll(/[^\w.-]/g, '-').slice(0, LONGEST_NAME - hash.length - 1)}-${hash}`;
}

/**
 * Returns the token of an installation's evaluator, which is stored in `ASSAY_HOME`. Registers the
 * evaluator if the service does not accept a stored token.
 * @throws ApiRefusal
 */
export async function evaluatorToken(plan: EvaluatorPlan): Promise<string> {
  const file = join(plan.home, 'evaluator-token');
  const stored = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (stored !== '' && (await isAccepted(plan.address, stored))) return stored;

  const token = await register(plan);
  rmSync(file, { force: true });
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  return token;
}

async function isAccepted(address: string, token: string): Promise<boolean> {
  try {
    await new ApiClient(address, token).send('GET', '/evaluator');
    return true;
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === UNAUTHENTICATED) return false;
    throw error;
  }
}

/** Registers the evaluator. Replaces a registration of the same name, whose token is lost. */
async function register({ home, address, name }: EvaluatorPlan): Promise<string> {
  const administrator = new ApiClient(address, readFileSync(join(home, 'admin-token'), 'utf8').trim());
  const registered = () => administrator.send<EvaluatorRegistered>('POST', '/evaluators', { body: { name } });
  try {
    return (await registered()).token;
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.status !== CONFLICT) throw error;
    const { items } = await administrator.send<RegisteredEvaluators>('GET', '/evaluators');
    for (const { id } of items.filter((each) => each.name === name)) {
      await administrator.send('DELETE', `/evaluators/${id}`);
    }
    return (await registered()).token;
  }
}
