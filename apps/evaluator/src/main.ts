import 'reflect-metadata';
import { StructuredLogger } from '@assay/observability';
import { NestFactory } from '@nestjs/core';
import { EvaluatorModule } from './evaluator.module.js';
import { EvaluatorSettings } from './host/evaluator-settings.js';

/** For an end in good order, which waits for a Redis that is away as long as it is: below the 20 s after which others kill. Milliseconds. */
const END_MILLISECONDS = 18_000;

const settings = new EvaluatorSettings();
const logger = new StructuredLogger({ level: settings.logLevel });
const app = await NestFactory.createApplicationContext(EvaluatorModule.forRoot(settings), { logger });
app.enableShutdownHooks();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, endAtLast);
logger.log(`evaluator ${settings.instance} is ready`, 'Evaluator');

function endAtLast(): void {
  const end = (): never => {
    logger.warn('ends before all that it waits for has answered', 'Evaluator');
    process.exit(1);
  };
  setTimeout(end, END_MILLISECONDS).unref();
}
