import type { LoadContext, LoadKind } from './context.ts'

const pages = [
  '/account/sign-in',
  '/account/sign-up',
  '/auth.md',
  '/llms.txt',
  '/openapi.json',
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-protected-resource',
]
const lists: Readonly<Record<string, string>> = {
  listCourses: '/api/v1/courses?limit=5',
  listPosts: '/api/v1/posts?limit=5',
  getSchool: '/api/v1/school',
  listLecturers: '/api/v1/lecturers?limit=5',
}

/** Visitors without a token: documents, pages, lists and MCP. */
export const visitors = ({ send, random }: LoadContext): LoadKind => ({
  name: 'visitors',
  loops: 2,
  everyMs: 60,
  async step() {
    if (random.chance(0.45)) {
      const path = random.pick(pages)
      await send({ target: 'page', path, headers: { accept: '*/*' }, expected: [200] })
    } else if (random.chance(0.6)) {
      const [target, path] = random.pick(Object.entries(lists))
      await send({ target, path, expected: [200] })
    } else {
      const call = random.chance(0.5)
        ? { method: 'tools/list' }
        : { method: 'tools/call', params: { name: 'list_courses', arguments: { limit: 3 } } }
      const target = `MCP ${call.params?.name ?? call.method}`
      const headers = { accept: 'application/json, text/event-stream' }
      await send({ target, path: '/mcp', headers, json: { jsonrpc: '2.0', id: 1, ...call }, expected: [200] })
    }
  },
})

/** Callers with a token: their account, UserInfo, private lists, MCP. */
export const readers = ({ as, random }: LoadContext): LoadKind => ({
  name: 'readers',
  loops: 1,
  everyMs: 60,
  async step() {
    const role = random.pick(['owner', 'learner'])
    const reads = [
      { target: 'getAccount', path: '/api/v1/account' },
      { target: 'GET /api/oauth/userinfo', path: '/api/oauth/userinfo' },
      { target: 'listEnrollments', path: '/api/v1/enrollments?limit=5' },
    ]
    await as(role, { ...random.pick(reads), expected: [200] })
  },
})
