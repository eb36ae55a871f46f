import { describe, expect, it } from '@jest/globals';
import { classOf } from './request-classes.js';

describe('the class of a request', () => {
  it.each([
    ['GET', '/api/v1/tasks', 'read'],
    ['HEAD', '/api/v1/tasks/:slug', 'read'],
    ['PATCH', '/api/v1/tasks/:slug', 'change'],
    ['DELETE', '/api/v1/tokens/:id', 'change'],
    ['GET', '/api/v1/search', 'costly'],
    ['HEAD', '/api/v1/tasks/:slug/leaderboard', 'costly'],
    ['POST', '/api/v1/tasks/:slug/preview', 'costly'],
    ['PUT', '/api/v1/models/:id/artifact', 'upload'],
    ['POST', '/api/v1/models/:id/upload', 'upload'],
    ['PATCH', '/api/v1/models/:id/upload/:upload', 'upload'],
    ['POST', '/api/v1/models/:id/predict', 'live'],
    ['POST', '/api/v1/auth/login', 'sign-in'],
    ['GET', '/api/v1/auth/provider', 'sign-in'],
  ])('%s %s is %s', (method, route, expected) => {
    expect(classOf(method, route)).toBe(expected);
  });
});
