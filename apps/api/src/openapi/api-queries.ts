import { applyDecorators } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import type { z } from 'zod';
import { jsonSchema } from './json-schema.js';

/** Documents each key of a query's schema as a parameter of the operation. */
export function ApiQueries(schema: z.ZodType): MethodDecorator {
  const { properties = {}, required = [] } = jsonSchema(schema);
  return applyDecorators(
    ...Object.entries(properties).map(([name, property]) => {
      const { description, ...shape } = typeof property === 'object' ? property : {};
      return ApiQuery({
        name,
        required: required.includes(name),
        ...(description !== undefined && { description }),
        schema: shape as object,
      });
    }),
  );
}
