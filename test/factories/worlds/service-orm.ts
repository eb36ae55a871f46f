import { entities } from '@assay/application';
import { databaseOptions } from '@assay/persistence';
import { MikroORM } from '@mikro-orm/postgresql';
import type { ServiceAddress } from './service-client.js';

/**
 * Connects to the database of a service with all entities, to add rows that no request can create.
 * The caller closes the connection.
 */
export function serviceOrm({ databaseUrl }: Pick<ServiceAddress, 'databaseUrl'>): Promise<MikroORM> {
  return MikroORM.init(databaseOptions({ url: databaseUrl, entities, poolMax: 2 }));
}
