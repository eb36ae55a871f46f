import { entities } from '@assay/application';
import { databaseOptions } from '@assay/persistence';
import { migrations } from '../migrations/index.js';
import type { Environment } from './environment.js';

/**
 * Returns the ORM options of the API, which owns the migrations.
 * @param url the URL for the role to connect as
 */
export function apiDatabase(environment: Environment, url = environment.databaseUrl) {
  return databaseOptions({
    url,
    entities,
    migrations,
    poolMax: environment.poolMax,
    applicationName: 'assay-api',
  });
}
