// Proves OpenAPI 3.0: The requests and responses of the API suites are as the OpenAPI document says: bodies, names of parameters, statuses and codes of errors

import { describe, expect, test } from 'vitest'
import { operationsIn, resources } from '../../src/school/index.ts'
import { type Exchange, trafficCheckOf } from './validatedTraffic.ts'

const check = trafficCheckOf(operationsIn(resources))
const json = (body: unknown) => ({ type: 'application/json', text: JSON.stringify(body) })
const page = { limit: 20, has_more: false, next_cursor: null, prev_cursor: null }
const list = { object: 'list', data: [], page }
const error = (code: string) => json({ error: code, error_description: 'A text.' })
const nothing = { type: '', text: '' }
const read = (more: Partial<Exchange> = {}): Exchange => ({
  ...{ method: 'GET', path: '/api/v1/courses', sent: undefined, status: 200, received: json(list) },
  ...more,
})
const publish = (more: Partial<Exchange>) => read({ method: 'POST', path: '/api/v1/courses/clay/publish', ...more })
const order = (body: unknown) =>
  read({ method: 'PUT', path: '/api/v1/lecturers/positions', sent: json(body), status: 204, received: nothing })

describe('the check of the traffic accepts', () => {
  test.each<[string, Exchange]>([
    ['a page', read()],
    ['a published parameter', read({ path: '/api/v1/courses?limit=20' })],
    ['an error that the operation lists', publish({ status: 409, received: error('invalid_state') })],
    ['a rejected request of any form', read({ path: '/api/v1/courses?no=1', status: 400, received: error('invalid_parameter') })],
    ['a file', read({ received: { type: 'text/csv', text: 'id\r\n' } })],
    ['304', read({ status: 304, received: nothing })],
    ['the response to HEAD', read({ method: 'HEAD', received: { type: 'application/json', text: '' } })],
    ['a path outside of the document', read({ path: '/health', received: json({ any: 1 }) })],
    ['rows with the requested fields', read({ path: '/api/v1/courses?fields=id', received: json({ ...list, data: [{ id: 'crs_1' }] }) })],
  ])('%s', (_what, exchange) => {
    expect(check(exchange)).toEqual([])
  })
})

describe('the check of the traffic reports', () => {
  test.each<[string, Exchange, string]>([
    [
      'a wrong type in a response',
      read({ received: json({ ...list, page: { ...page, limit: '20' } }) }),
      'listCourses 200: response body at /page/limit: must be integer {"type":"integer"}',
    ],
    [
      'a missing member of a response',
      read({ received: json({ object: 'list', data: [] }) }),
      `listCourses 200: response body: must have required property 'page' {"missingProperty":"page"}`,
    ],
    [
      'a missing member of an error',
      read({ status: 404, received: json({ error: 'not_found' }) }),
      `listCourses 404: response body: must have required property 'error_description' {"missingProperty":"error_description"}`,
    ],
    [
      'a code of another operation',
      publish({ status: 409, received: error('code_taken') }),
      'publishCourse 409: the error code code_taken is not described',
    ],
    [
      'an error with a status that the operation does not list',
      read({ status: 409, received: error('code_taken') }),
      'listCourses 409: the error code code_taken is not described',
    ],
    ['another successful status', read({ status: 202 }), 'listCourses 202: the status is not described'],
    ['an unpublished parameter', read({ path: '/api/v1/courses?no=1' }), 'listCourses: the query parameter no is not described'],
    [
      'a wrong type in an accepted request',
      order({ lecturer_ids: 'lec_1' }),
      'setLecturerPositions: request body at /lecturer_ids: must be array {"type":"array"}',
    ],
    [
      'an accepted body where there is none',
      read({ method: 'DELETE', path: '/api/v1/courses/clay', sent: json({}), status: 204, received: nothing }),
      'deleteCourse: request body: application/json is not described',
    ],
  ])('%s', (_what, exchange, sentence) => {
    expect(check(exchange)).toContain(sentence)
  })
})
