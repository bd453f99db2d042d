/**
 * Peers P1 and P1s: Koa and pg, written by hand.
 *
 *   GET /rows?after=   one named keyset page of 20 rows of 11 columns (P1)
 *   GET /courses       the course list of the service, with the same rows and members (P1s)
 *   GET /courses/:id   one of them
 *
 * The bodies of P1s are built from one JSON column of the service's own responses, so that the members are the same by construction; the
 * statement still reads, orders and counts rows as a list does. Requests without a token see the public view (table bench_course). A
 * request with a token is checked in Redis, where the token is stored by its hash, and sees the view of its person (table bench_own_course).
 *
 *   PORT=… DATABASE_URL=… REDIS_URL=… TOKEN=… node courses.js
 */
import { createHash } from 'node:crypto'
import { Redis } from 'ioredis'
import Koa from 'koa'
import pg from 'pg'

const { PORT, DATABASE_URL, REDIS_URL, TOKEN } = process.env
const redis = new Redis(REDIS_URL)
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 })
const app = new Koa()
app.proxy = true

const rows = {
  name: 'rows',
  text: `SELECT id, title, slug, subtitle, description, language, level, price, currency, created_at, updated_at
           FROM bench_row WHERE (created_at, id) < ($1, $2) ORDER BY created_at DESC, id DESC LIMIT 20`,
}
const read = (name, table, condition) => ({
  name,
  text: `SELECT id, slug, title, subtitle, language, level, access, price, published_at, created_at, updated_at, rest
           FROM ${table} WHERE is_public ${condition}`,
})
const page = 'ORDER BY created_at DESC, id DESC LIMIT 21'
const statements = {
  visitor: { list: read('list', 'bench_course', page), one: read('one', 'bench_course', 'AND id = $1') },
  person: { list: read('own list', 'bench_own_course', page), one: read('own one', 'bench_own_course', 'AND id = $1') },
}

const keyOf = (token) => `twin:token:${createHash('sha256').update(token).digest('base64url')}`
await redis.set(keyOf(TOKEN), JSON.stringify({ account: 'bench', scope: 'courses:read', expires: Date.now() + 86_400_000 }))

/** Returns the view of the caller; undefined for a token that is not valid. */
async function viewOf(ctx) {
  const header = ctx.get('authorization')
  if (header === '') return 'visitor'
  const stored = await redis.get(keyOf(header.slice('Bearer '.length)))
  const token = stored === null ? undefined : JSON.parse(stored)
  return token && token.expires > Date.now() && token.scope.split(' ').includes('courses:read') ? 'person' : undefined
}

const course = ({ rest, ...columns }) => ({ ...columns, ...rest })

app.use(async (ctx) => {
  if (ctx.path === '/rows') {
    const { rows: found } = await pool.query({ ...rows, values: ['infinity', 'zzzz'] })
    const last = found.at(-1)
    ctx.body = { data: found, next: Buffer.from(`${last.created_at.toISOString()} ${last.id}`).toString('base64url') }
    return
  }
  if (!ctx.path.startsWith('/courses')) return
  const view = await viewOf(ctx)
  if (view === undefined) return ctx.throw(401)
  const { list, one } = statements[view]
  if (ctx.path === '/courses') {
    const { rows: found } = await pool.query(list)
    const shown = found.slice(0, 20)
    const last = shown.at(-1)
    ctx.body = {
      object: 'list',
      data: shown.map(course),
      has_more: found.length > 20,
      next_cursor: found.length > 20 ? Buffer.from(`${last.created_at.toISOString()} ${last.id}`).toString('base64url') : null,
    }
    return
  }
  const { rows: found } = await pool.query({ ...one, values: [ctx.path.slice('/courses/'.length)] })
  if (found.length === 0) return ctx.throw(404)
  ctx.body = course(found[0])
})

app.listen(Number(PORT), '127.0.0.1')
