import { Module } from '@nestjs/common';
import { ModelsModule } from '../models/models.module.js';
import { CompareController } from './compare.controller.js';

@Module({
  imports: [ModelsModule],
  controllers: [CompareController],
})
export class CompareModule {}
