import { beforeAll, describe, expect, test } from 'vitest'
import { operationsIn, resources, scopeCatalogue } from '../../src/school/index.ts'
import { openApiDocument } from '../../test/support/openApi.ts'
import { createJudge, type Judge } from './judge.ts'
import type { FuzzReply, FuzzRequest } from './wire.ts'

/** Judges responses with planted errors: a run of `npm run fuzz` must report each. */
let judge: Judge
beforeAll(() => {
  const facts = { issuer: 'https://school.example', name: 'First', contactEmail: null, supportUrl: null }
  const document = openApiDocument({ operations: operationsIn(resources), scopes: scopeCatalogue(resources) }, facts)
  const outputSchema = { type: 'object', required: ['data'], properties: { data: { type: 'array' } } }
  judge = createJudge(document, [{ name: 'list_courses', inputSchema: {}, outputSchema }])
})

const sent = (target: string, more: Partial<FuzzRequest> = {}): FuzzRequest => ({
  ...{ target, method: 'GET', path: '/api/v1/courses', headers: {}, role: 'owner', mutations: [] },
  ...more,
})
const reply = (status: number, body: unknown, headers: Record<string, string> = {}): FuzzReply => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', 'request-id': 'req_x', 'cache-control': 'no-store', ...headers },
  text: typeof body === 'string' ? body : JSON.stringify(body),
  milliseconds: 1,
})
const error = (code: string) => ({ error: code, error_description: 'A text.', request_id: 'req_01jgwejj00e6srgkpqm2sqf05m' })
const page = {
  object: 'list',
  data: [],
  page: { limit: 20, next_cursor: null, prev_cursor: null, has_more: false, total_count: null, total_count_is_estimate: false },
}
const rpc = (result: unknown) => ({ jsonrpc: '2.0', id: 1, result })

describe('the fuzzer accepts', () => {
  test.each<[string, FuzzRequest, FuzzReply]>([
    ['an empty page', sent('listCourses'), reply(200, page)],
    ['an error that is described', sent('listCourses'), reply(404, error('not_found'))],
    [
      'a challenge for a token',
      sent('listCourses', { headers: { authorization: 'Bearer x' } }),
      reply(401, error('invalid_token'), { 'www-authenticate': 'Bearer' }),
    ],
    ['an OAuth error', sent('POST /api/oauth/token'), reply(400, error('invalid_grant'))],
    ['the output of a tool', sent('MCP list_courses'), reply(200, rpc({ structuredContent: { data: [] } }))],
  ])('%s', (_what, request, response) => {
    expect(judge(request, response)).toEqual([])
  })
})

describe('the fuzzer reports', () => {
  test.each<[string, FuzzRequest, FuzzReply, string]>([
    ['a 5xx', sent('listCourses'), reply(500, error('server_error')), 'status 500'],
    [
      'a place in the code',
      sent('listCourses'),
      reply(404, { ...error('not_found'), stack: 'at run (file:///app/src/run.ts:3:1)' }),
      'contains "at run (file:"',
    ],
    [
      "a database's own message",
      sent('POST /api/oauth/token'),
      reply(400, { error: 'invalid_request', error_description: 'syntax error at or near "x"' }),
      'syntax error',
    ],
    ['a status that is not described', sent('listCourses'), reply(202, page), 'status 202 is not described'],
    ['a body without a required member', sent('listCourses'), reply(200, { data: [] }), 'not what the schema says'],
    ['a member of another type', sent('listCourses'), reply(200, { ...page, data: [{ id: 7 }] }), 'not what the schema says'],
    ['a body that is not JSON', sent('listCourses'), reply(200, '<p>'), 'not JSON'],
    ['another content type', sent('listCourses'), reply(200, page, { 'content-type': 'text/html' }), 'text/html is not described'],
    ['an error of another status', sent('listCourses'), reply(404, error('slug_taken')), 'slug_taken is not described for 404'],
    ['a challenge of a caller without a token', sent('listCourses'), reply(401, error('invalid_token')), 'without a token is challenged'],
    [
      'no id of the request',
      sent('listCourses'),
      { ...reply(404, error('not_found')), headers: { 'content-type': 'application/json' } },
      'no Request-Id',
    ],
    ['an unknown OAuth error', sent('POST /api/oauth/token'), reply(400, error('nonsense')), 'not one of OAuth'],
    [
      'a token response that may be stored',
      sent('POST /api/oauth/token'),
      reply(400, error('invalid_grant'), { 'cache-control': 'public' }),
      'may be stored',
    ],
    [
      'a redirect to another host',
      sent('GET /oauth/authorize'),
      reply(303, '', { location: 'https://evil.example/' }),
      'a redirect to https://evil.example/',
    ],
    [
      'a tool whose output has another form',
      sent('MCP list_courses'),
      reply(200, rpc({ structuredContent: {} })),
      'the output is not what the schema says',
    ],
    ['no JSON-RPC', sent('MCP list_courses'), reply(200, { result: {} }), 'no JSON-RPC response'],
  ])('%s', (_what, request, response, problem) => {
    expect(judge(request, response).join('\n')).toContain(problem)
  })
})
