import { describe, expect, test } from 'vitest'
import { type Reply, type SendOptions, startDemoApi } from '../school/demoApi.ts'
import { actor } from '../school/derived/everyWrite.ts'
import { availableServices, openTestDatabase } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { countStoreRequests } from '../support/roundTrips.ts'

const { postgresql } = await availableServices()

/** How many statements the transaction of a write contains, BEGIN and COMMIT included. Lower a limit when it is no longer reached. */
const limits = { 'a change': 12, 'a dry run of a change': 14, 'a creation': 17, 'a deletion': 14 }

describe.runIf(postgresql)('the transaction of a write by an app, in a process that has run it before', () => {
  const held = duringTests(async () => {
    const opened = await openTestDatabase()
    const counter = countStoreRequests({ postgresql: Number(new URL(opened.url ?? '').port) || 5432, redis: 0 })
    const api = await startDemoApi(opened)
    return {
      api,
      counter,
      async stop() {
        counter.stop()
        await api.stop()
      },
    }
  })
  let round = 0
  const send = async (path: string, options: SendOptions): Promise<Reply> => {
    const reply = await held.api.send(`/api/v1${path}`, { as: actor, ...options })
    if (reply.status >= 300) throw new Error(reply.text)
    return reply
  }
  const newPost = async () => {
    round += 1
    return (await send('/posts', { method: 'POST', body: { title: `Round ${round}`, content: 'Open on Sunday.' } })).json.id
  }
  /** Reads a course, and returns its change. */
  const courseChange = async (headers: Record<string, string> = {}) => {
    round += 1
    const { id } = (await send('/courses/clay-from-scratch', { method: 'GET' })).json
    return () => send(`/courses/${id}`, { method: 'PATCH', body: { subtitle: `Round ${round}` }, headers })
  }
  /** Does what the write needs, uncounted, and returns the write. */
  const writes: Record<keyof typeof limits, () => Promise<() => Promise<unknown>>> = {
    'a change': () => courseChange(),
    'a dry run of a change': () => courseChange({ 'Dry-Run': 'true' }),
    'a creation': async () => newPost,
    async 'a deletion'() {
      const id = await newPost()
      return () => send(`/posts/${id}`, { method: 'DELETE' })
    },
  }

  test.each(Object.entries(writes))('%s contains as many statements as its limit says', async (name, prepare) => {
    for (let warm = 0; warm < 2; warm += 1) await (await prepare())()
    const { statements } = await held.counter.during(await prepare())
    const texts = statements.map(({ text }) => text.replace(/\s+/g, ' ').slice(0, 200))
    const transaction = texts.slice(texts.indexOf('begin'))
    expect(transaction.length, transaction.join('\n')).toBe(limits[name as keyof typeof limits])
  })
})
