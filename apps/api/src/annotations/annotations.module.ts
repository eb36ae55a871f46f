import { Module } from '@nestjs/common';
import { AnnotationsController } from './annotations.controller.js';

@Module({
  controllers: [AnnotationsController],
})
export class AnnotationsModule {}
