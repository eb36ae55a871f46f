import 'reflect-metadata';
import { StructuredLogger } from '@assay/observability';
import { NestFactory } from '@nestjs/core';
import { EvaluatorModule } from './evaluator.module.js';
import { EvaluatorSettings } from './host/evaluator-settings.js';

const settings = new EvaluatorSettings();
const logger = new StructuredLogger({ level: settings.logLevel });
const app = await NestFactory.createApplicationContext(EvaluatorModule.forRoot(settings), { logger });
app.enableShutdownHooks();
logger.log(`evaluator ${settings.instance} is ready`, 'Evaluator');
