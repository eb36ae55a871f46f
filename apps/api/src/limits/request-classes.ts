import { isReading } from '../access/reading-methods.js';

/**
 * The classes of requests by their approximate cost in CPU time. Each class has its own budget.
 * `costly`: thousands of rows, a file, or figures that are computed for the caller. `live`: a model
 * answers. `sign-in`: a password is hashed, or an attacker could guess secrets.
 */
export const REQUEST_CLASSES = ['read', 'costly', 'change', 'upload', 'live', 'sign-in'] as const;
export type RequestClass = (typeof REQUEST_CLASSES)[number];

/**
 * Returns the class of a request.
 * @param declared the class that its route declares
 */
export const classOf = (method: string, declared: RequestClass | undefined): RequestClass =>
  declared ?? (isReading(method) ? 'read' : 'change');
