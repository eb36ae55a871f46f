import 'reflect-metadata';
import { createLogger, exitAfterShutdown } from '@assay/observability';
import { NestFactory } from '@nestjs/core';
import { WorkerModule } from './worker.module.js';
import { WorkerSettings } from './worker-settings.js';

const settings = new WorkerSettings();
const logger = createLogger(settings.logLevel);
const app = await NestFactory.createApplicationContext(WorkerModule.forRoot(settings), { logger });
app.enableShutdownHooks();
exitAfterShutdown(logger, 'Worker');
logger.log(`worker ${settings.instance} is ready`, 'Worker');
