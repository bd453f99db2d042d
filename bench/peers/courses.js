/**
 * Peers P1 and P1s: Koa and pg, written by hand.
 *
 *   GET /rows?after=   one named keyset page of 20 rows of 11 columns (P1)
 *   GET /courses       the public course list of the service, with the same rows and members (P1s)
 *   GET /courses/:id   one of them
 *
 * The bodies of P1s are built from one JSON column of the service's own responses (table bench_course), so that the members are the same
 * by construction; the statement still reads, orders and counts rows as a list does.
 *
 *   PORT=… DATABASE_URL=… node courses.js
 */
import Koa from 'koa'
import pg from 'pg'

const { PORT, DATABASE_URL } = process.env
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 })
const app = new Koa()
app.proxy = true

const rows = {
  name: 'rows',
  text: `SELECT id, title, slug, subtitle, description, language, level, price, currency, created_at, updated_at
           FROM bench_row WHERE (created_at, id) < ($1, $2) ORDER BY created_at DESC, id DESC LIMIT 20`,
}
const list = {
  name: 'list',
  text: `SELECT id, slug, title, subtitle, language, level, access, price, published_at, created_at, updated_at, rest
           FROM bench_course WHERE is_public ORDER BY created_at DESC, id DESC LIMIT 21`,
}
const one = {
  name: 'one',
  text: `SELECT id, slug, title, subtitle, language, level, access, price, published_at, created_at, updated_at, rest
           FROM bench_course WHERE is_public AND id = $1`,
}

const course = ({ rest, ...columns }) => ({ ...columns, ...rest })

app.use(async (ctx) => {
  if (ctx.path === '/rows') {
    const { rows: page } = await pool.query({ ...rows, values: ['infinity', 'zzzz'] })
    const last = page.at(-1)
    ctx.body = { data: page, next: Buffer.from(`${last.created_at.toISOString()} ${last.id}`).toString('base64url') }
    return
  }
  if (ctx.path === '/courses') {
    const { rows: found } = await pool.query(list)
    const page = found.slice(0, 20)
    const last = page.at(-1)
    ctx.body = {
      object: 'list',
      data: page.map(course),
      has_more: found.length > 20,
      next_cursor: found.length > 20 ? Buffer.from(`${last.created_at.toISOString()} ${last.id}`).toString('base64url') : null,
    }
    return
  }
  if (ctx.path.startsWith('/courses/')) {
    const { rows: found } = await pool.query({ ...one, values: [ctx.path.slice('/courses/'.length)] })
    if (found.length === 0) return ctx.throw(404)
    ctx.body = course(found[0])
  }
})

app.listen(Number(PORT), '127.0.0.1')
