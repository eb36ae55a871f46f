import { Module } from '@nestjs/common';
import { ModelsModule } from '../models/models.module.js';
import { ArrivingLines } from './arriving-lines.js';
import { RoundDataController } from './round-data.controller.js';
import { RoundsController } from './rounds.controller.js';

@Module({
  imports: [ModelsModule],
  controllers: [RoundsController, RoundDataController],
  providers: [ArrivingLines],
})
export class RoundsModule {}
