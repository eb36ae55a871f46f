import { Module } from '@nestjs/common';
import { EvaluationRequests } from './evaluations/evaluation-requests.js';

/** Provides requests for evaluations. */
@Module({ providers: [EvaluationRequests], exports: [EvaluationRequests] })
export class EvaluationModule {}
