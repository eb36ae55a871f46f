import 'reflect-metadata';
import { createLogger } from '@assay/observability';
import { NestFactory } from '@nestjs/core';
import { EvaluatorModule } from './evaluator.module.js';
import { EvaluatorSettings } from './host/evaluator-settings.js';

/**
 * Milliseconds for a graceful shutdown, which waits for Redis as long as it is unreachable. Below
 * the 20 s after which supervisors kill the process.
 */
const END_MILLISECONDS = 18_000;

const settings = new EvaluatorSettings();
const logger = createLogger(settings.logLevel);
const app = await NestFactory.createApplicationContext(EvaluatorModule.forRoot(settings), { logger });
app.enableShutdownHooks();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, endAtLast);
logger.log(`evaluator ${settings.instance} is ready`, 'Evaluator');

function endAtLast(): void {
  const end = (): never => {
    logger.warn('the graceful shutdown timed out; exiting now', 'Evaluator');
    process.exit(1);
  };
  setTimeout(end, END_MILLISECONDS).unref();
}
