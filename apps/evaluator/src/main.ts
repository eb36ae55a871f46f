import 'reflect-metadata';
import { createLogger, exitAfterShutdown } from '@assay/observability';
import { NestFactory } from '@nestjs/core';
import { EvaluatorModule } from './evaluator.module.js';
import { EvaluatorSettings } from './host/evaluator-settings.js';
import { ModelHost } from './host/model-host.js';

const settings = new EvaluatorSettings();
const logger = createLogger(settings.logLevel);
const app = await NestFactory.createApplicationContext(EvaluatorModule.forRoot(settings), { logger });
app.enableShutdownHooks();
exitAfterShutdown(logger, 'Evaluator');
logger.log(`evaluator ${app.get(ModelHost).instance} is ready`, 'Evaluator');
