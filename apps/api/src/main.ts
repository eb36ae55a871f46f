import { createLogger } from '@assay/observability';
import { MikroORM, RequestContext } from '@mikro-orm/postgresql';
import 'reflect-metadata';
import { AdminToken } from './access/admin-token.js';
import { createApi } from './bootstrap.js';
import { Environment } from './environment.js';

const environment = new Environment();
const logger = createLogger(environment.logLevel);
const app = await createApi(logger);
await RequestContext.create(app.get(MikroORM).em, () => app.get(AdminToken).ensure());
await app.listen(environment.port, environment.host);
logger.log(`listening on ${environment.publicUrl}`, 'Api');
