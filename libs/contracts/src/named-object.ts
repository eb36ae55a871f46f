import { z } from 'zod';

/** Returns the schema of an object. `id` is its name in the OpenAPI document. */
export const namedObject = <Shape extends z.core.$ZodLooseShape>(id: string, shape: Shape) =>
  z.object(shape).meta({ id });

/** Like `namedObject`. Rejects unknown keys. */
export const namedStrictObject = <Shape extends z.core.$ZodLooseShape>(id: string, shape: Shape) =>
  z.strictObject(shape).meta({ id });
