import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAgent, personCalled } from '../../support/agent.ts'
import { type Place, placesToTest } from './cli.ts'

describe.each(await placesToTest())('people active, with a service running on $name', ({ open }) => {
  let place: Place
  beforeAll(async () => {
    place = await open()
    for (const name of ['ada', 'bob', 'eve', 'joy']) await place.service.addPerson({ email: `${name}@example.org` })
    const agent = await createAgent(place.service.issuer)
    await agent.tokens(personCalled('bob@example.org'))
    const { sql } = place.service.database
    await sql.query(`UPDATE account SET last_sign_in_at = CASE email
      WHEN 'ada@example.org' THEN now() - interval '1 hour' WHEN 'eve@example.org' THEN now() - interval '20 days'
      ELSE now() - interval '200 days' END`)
    // Bob's app used his access three days ago, and joy has not been here for 200 days.
    await sql.query(`UPDATE oidc_grant SET last_used_at = now() - interval '3 days'`)
  })
  afterAll(() => place.stop())

  const countsOf = async (...args: string[]): Promise<[number, number][]> => {
    const { exitCode, err, json } = await place.cli(['people', 'active', '--json', ...args])
    expect(exitCode, err).toBe(0)
    return json().map(({ days, people }: { days: number; people: number }) => [days, people])
  }

  test('counts who signed in and whose access an app used, in each period', async () => {
    expect(await countsOf()).toEqual([
      [1, 1],
      [7, 2],
      [30, 3],
    ])
    expect(await countsOf('--days', '365')).toEqual([[365, 4]])
  })

  test('a period must be a number of days', async () => {
    const outcome = await place.cli(['people', 'active', '--days', '500'])
    expect(outcome).toMatchObject({ exitCode: 2, err: expect.stringContaining('--days must be a whole number from 1 to 400, not 500') })
  })

  test('the metric has a value for each period', async () => {
    const { text } = await place.service.app.metrics.render()
    for (const days of [1, 7, 30]) expect(text).toMatch(new RegExp(`^schoolgate_people_active\\{days="${days}"\\} \\d+$`, 'm'))
  })
})
