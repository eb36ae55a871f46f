import 'reflect-metadata';
import { createLogger, exitAfterShutdown } from '@assay/observability';
import { NestFactory } from '@nestjs/core';
import { EvaluatorModule } from './evaluator.module.js';
import { EvaluatorSettings } from './host/evaluator-settings.js';
import { ModelHost } from './host/model-host.js';
import { RemoteSettings } from './host/remote-settings.js';
import { RemoteEvaluatorModule } from './remote-evaluator.module.js';

const isRemote = (process.env['ASSAY_EVALUATOR_TOKEN'] ?? '') !== '';
const settings = isRemote ? new RemoteSettings() : new EvaluatorSettings();
const logger = createLogger(settings.logLevel);
const module =
  settings instanceof RemoteSettings ? RemoteEvaluatorModule.forRoot(settings) : EvaluatorModule.forRoot(settings);
const app = await NestFactory.createApplicationContext(module, { logger });
app.enableShutdownHooks();
exitAfterShutdown(logger, 'Evaluator');
logger.log(`evaluator ${app.get(ModelHost).instance} is ready`, 'Evaluator');
