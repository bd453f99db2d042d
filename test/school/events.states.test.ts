import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromPublicId, toPublicId } from '../../src/base/ids.ts'
import { newPeople } from '../support/community.ts'
import { databasesToTest } from '../support/databases.ts'
import { type DemoApi, startDemoApi } from './demoApi.ts'

const owner = 'owner@example.com'
const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString()

/** The response of each action in each state of an event, and the state after it. */
const events = {
  draft: {
    publish: '200 published',
    unpublish: '200 draft',
    cancel: '409 draft',
    PATCH: '200 draft',
    DELETE: '204 gone',
    duplicate: '201 draft',
  },
  published: {
    publish: '200 published',
    unpublish: '200 draft',
    cancel: '200 canceled',
    PATCH: '200 published',
    DELETE: '409 published',
    duplicate: '201 published',
  },
  answered: {
    publish: '200 published',
    unpublish: '409 published',
    cancel: '200 canceled',
    PATCH: '200 published',
    DELETE: '409 published',
    duplicate: '201 published',
  },
  canceled: {
    publish: '409 canceled',
    unpublish: '409 canceled',
    cancel: '200 canceled',
    PATCH: '409 canceled',
    DELETE: '409 canceled',
    duplicate: '201 canceled',
  },
} as const

/** The changes of an RSVP by staff in each state, before the event and after its start. */
const answers = {
  before: {
    going: { going: 200, canceled: 200, attended: 409, no_show: 409 },
    waitlisted: { going: 409, canceled: 200, attended: 409, no_show: 409 },
    canceled: { going: 409, canceled: 200, attended: 409, no_show: 409 },
  },
  after: {
    going: { going: 200, canceled: 200, attended: 200, no_show: 200 },
    waitlisted: { going: 409, canceled: 200, attended: 409, no_show: 409 },
    canceled: { going: 409, canceled: 200, attended: 409, no_show: 409 },
    attended: { going: 200, canceled: 409, attended: 200, no_show: 200 },
    no_show: { going: 200, canceled: 409, attended: 200, no_show: 200 },
  },
} as const

describe.each((await databasesToTest()).slice(0, 1))('states of events and answers, on $name', ({ open }) => {
  let api: DemoApi
  beforeAll(async () => {
    api = await startDemoApi(await open())
  })
  afterAll(() => api.stop())

  const send = (path: string, method: string, body?: object) =>
    api.send(`/api/v1/events${path}`, { as: owner, method, ...(body && { body }) })
  const must = async (...args: Parameters<typeof send>) => {
    const reply = await send(...args)
    expect(reply.status, reply.text).toBeLessThan(300)
    return reply.json
  }
  async function eventIn(state: keyof typeof events): Promise<string> {
    const body = { title: 'Dye Walk', kind: 'online', join_url: 'https://meet.school.example', starts_at: inHours(1), ends_at: inHours(2) }
    const { id } = await must('', 'POST', body)
    if (state !== 'draft') await must(`/${id}/publish`, 'POST', {})
    if (state === 'answered') await must(`/${id}/rsvps/me`, 'PUT', { status: 'canceled' })
    if (state === 'canceled') await must(`/${id}/cancel`, 'POST', {})
    return id as string
  }

  test.each(Object.entries(events))('an event that is %s', async (state, expected) => {
    const found: Record<string, string> = {}
    for (const action of Object.keys(expected)) {
      const id = await eventIn(state as keyof typeof events)
      const isMethod = action === 'PATCH' || action === 'DELETE'
      const reply = await send(
        isMethod ? `/${id}` : `/${id}/${action}`,
        isMethod ? action : 'POST',
        action === 'DELETE' ? undefined : action === 'PATCH' ? { title: 'Dye Run' } : {},
      )
      if (reply.status === 409) expect(reply.json.error).toBe('invalid_state')
      const after = await api.get(`/api/v1/events/${id}`, { as: owner })
      found[action] = `${reply.status} ${after.status === 404 ? 'gone' : after.json.status}`
    }
    expect(found).toEqual(expected)
  })

  test.each(Object.entries(answers))('changes of RSVPs by staff, %s the event begins', async (time, table) => {
    const found: Record<string, Record<string, number>> = {}
    for (const [state, row] of Object.entries(table)) {
      found[state] = {}
      for (const status of Object.keys(row)) {
        const id = await eventIn('published')
        // Another person has the only seat, so the party stays on the waiting list.
        await must(`/${id}`, 'PATCH', { capacity: state === 'going' || state === 'attended' || state === 'no_show' ? 2 : 1 })
        const [first, second] = await newPeople(api.database.sql, api.school.id, 2)
        await must(`/${id}/rsvps`, 'POST', { member_id: toPublicId('mbr', first?.id as string) })
        const rsvp = await must(`/${id}/rsvps`, 'POST', { member_id: toPublicId('mbr', second?.id as string) })
        await api.database.sql.query(`UPDATE event SET starts_at = now() + $2::interval WHERE id = $1`, [
          fromPublicId('evt', id),
          time === 'before' ? '1 hour' : '-1 hour',
        ])
        if (state !== rsvp.status) await must(`/${id}/rsvps/${rsvp.id}`, 'PATCH', { status: state })
        const reply = await send(`/${id}/rsvps/${rsvp.id}`, 'PATCH', { status })
        if (reply.status === 409) expect(['invalid_state', 'event_full']).toContain(reply.json.error)
        else expect(reply.json.status).toBe(status)
        ;(found[state] as Record<string, number>)[status] = reply.status
      }
    }
    expect(found).toEqual(table)
  })
})
