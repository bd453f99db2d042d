import { expect, test } from 'vitest'
import { type Agent, createAgent, personCalled } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startService } from '../../support/service.ts'

const service = duringTests(() =>
  startService({
    redis: false,
    oauth: { registration: { never_used_days: 7, idle_days: 90 } },
    people: [{ email: 'learner@example.org' }],
  }),
)

const run = async (name: string): Promise<Record<string, number> | undefined> => service.app.jobs.find((job) => job.name === name)?.run()
const sql = (text: string, values: unknown[] = []) => service.database.sql.query<{ id: string }>(text, values)
const age = (agent: Agent, column: string, days: number) =>
  sql(`UPDATE oidc_client SET ${column} = now() - make_interval(days => $2) WHERE id = $1`, [agent.clientId, days])

test('a registration that was never authorized is removed after its days, an idle one later, and one with a live grant never', async () => {
  const person = personCalled('learner@example.org')
  const [fresh, unused, idle, recent, alive] = (await Promise.all(Array.from({ length: 5 }, () => createAgent(service.issuer)))) as [
    Agent,
    Agent,
    Agent,
    Agent,
    Agent,
  ]
  for (const agent of [idle, recent, alive]) {
    const { body } = await agent.tokens(person)
    if (agent !== alive) await agent.post('/api/oauth/revoke', { token: body.refresh_token })
  }
  await age(unused, 'created_at', 8)
  for (const agent of [idle, recent, alive]) await age(agent, 'created_at', 200)
  for (const agent of [idle, alive]) await age(agent, 'last_used_at', 100)

  expect(await run('prune_clients')).toEqual({ removed: 2, forgotten: 0 })
  const left = (await sql('SELECT id FROM oidc_client')).map(({ id }) => id)
  expect(left.toSorted()).toEqual([fresh, recent, alive].map(({ clientId }) => clientId).toSorted())
  expect(await run('prune_clients')).toEqual({ removed: 0, forgotten: 0 })
})

test('expired rows are removed, and others stay', async () => {
  const agent = await createAgent(service.issuer)
  const { body } = await agent.tokens(personCalled('learner@example.org'))
  await sql("UPDATE oidc_artifact SET expires_at = now() - interval '1 second' WHERE model IN ('AccessToken', 'Session')")
  expect((await run('sweep_artifacts'))?.removed).toBeGreaterThanOrEqual(2)
  expect(await sql("SELECT id FROM oidc_artifact WHERE model IN ('AccessToken', 'Session')")).toEqual([])
  expect((await agent.refresh(body.refresh_token)).status).toBe(200)
})

test('one run of a clean-up goes on until nothing is left, however much had piled up', async () => {
  const schoolId = service.schoolId()
  const many = 3500
  await sql(
    `INSERT INTO oidc_artifact (school_id, model, id, payload, expires_at)
     SELECT $1, 'Session', 'expired ' || n, '{}', now() - interval '1 hour' FROM generate_series(1, $2::int) AS n`,
    [schoolId, many],
  )
  await sql(
    `INSERT INTO idempotency_record (school_id, id, fingerprint, status, headers, body, expires_at)
     SELECT $1, gen_random_uuid()::text, '', 200, '{}', '', now() - interval '1 hour' FROM generate_series(1, $2::int) AS n`,
    [schoolId, many],
  )
  await sql(
    `INSERT INTO change_log (school_id, transaction, id, type, action, resource_id, version, occurred_at)
     SELECT $1, 1, gen_random_uuid(), 'course', 'updated', gen_random_uuid(), 1, now() - interval '1000 days' FROM generate_series(1, $2::int) AS n`,
    [schoolId, many],
  )
  await sql(
    `INSERT INTO mailed_link (school_id, id, purpose, email, expires_at)
     SELECT $1, gen_random_uuid()::text, 'password_reset', 'nobody@example.org', now() - interval '9 days' FROM generate_series(1, $2::int) AS n`,
    [schoolId, many],
  )
  await sql(
    `INSERT INTO former_slug (school_id, type, slug, row_id, expires_at)
     SELECT $1, 'course', 'former-' || n, gen_random_uuid(), now() - interval '1 day' FROM generate_series(1, $2::int) AS n`,
    [schoolId, many],
  )
  await sql(
    `INSERT INTO grant_use (school_id, grant_id, day, operation, calls, rows, refused)
     SELECT used.school_id, used.id, now()::date - 100, 'operation ' || n, 1, 1, 0
       FROM (SELECT school_id, id FROM oidc_grant WHERE expires_at > now() LIMIT 1) AS used, generate_series(1, $1::int) AS n`,
    [many],
  )
  await sql(
    `INSERT INTO notification (school_id, kind, subject_id, group_id, occurred_at, due_at, finished_at)
     SELECT $1, 'post', gen_random_uuid(), gen_random_uuid(), now(), now(), now() - interval '400 days' FROM generate_series(1, $2::int)`,
    [schoolId, many],
  )
  await sql(
    `INSERT INTO undo_record (school_id, id, expires_at) SELECT $1, gen_random_uuid(), now() - interval '1 hour' FROM generate_series(1, $2::int)`,
    [schoolId, many],
  )
  await sql(
    `INSERT INTO proposal (school_id, id, grant_id, expires_at)
     SELECT $1, gen_random_uuid(), (SELECT id FROM oidc_grant WHERE school_id = $1 LIMIT 1), now() - interval '31 days'
       FROM generate_series(1, $2::int)`,
    [schoolId, many],
  )
  await sql(
    `INSERT INTO app_signal (school_id, client_id, kind, day, counted, threshold)
     SELECT known.school_id, known.id, 'kind ' || n, now()::date - 100, 51, 50
       FROM (SELECT school_id, id FROM oidc_client LIMIT 1) AS known, generate_series(1, $1::int) AS n`,
    [many],
  )
  expect((await run('sweep_artifacts'))?.removed).toBeGreaterThanOrEqual(many)
  expect(await run('sweep_records')).toEqual({
    answers: many,
    changes: many,
    slugs: many,
    notifications: many,
    proposals: many,
    contents: 0,
    undo: many,
    challenges: 0,
    signals: many,
    uses: many,
  })
  expect(await run('sweep_mailed_links')).toEqual({ removed: many })
  expect(await run('sweep_artifacts')).toEqual({ removed: 0 })
})

test('a job runs in one instance at a time', async () => {
  const started = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  // The scheduler of the service may be running the job at this moment: the lock is taken once it is free.
  const hold = async (): Promise<true | undefined> =>
    service.database.exclusively('sweep_artifacts', async () => {
      started.resolve()
      await released.promise
      return true as const
    })
  const held = (async () => {
    while ((await hold()) === undefined);
  })()
  await started.promise
  expect(await run('sweep_artifacts')).toBeUndefined()
  released.resolve()
  await held
  expect(await run('sweep_artifacts')).toBeDefined()
})
