import { Module } from '@nestjs/common';
import { LeaderboardModule } from '../leaderboard/leaderboard.module.js';
import { ModelsModule } from '../models/models.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { DatasetsController } from './datasets.controller.js';
import { PerturbationsController } from './perturbations.controller.js';

@Module({
  imports: [TasksModule, LeaderboardModule, ModelsModule],
  controllers: [DatasetsController, PerturbationsController],
})
export class DatasetsModule {}
