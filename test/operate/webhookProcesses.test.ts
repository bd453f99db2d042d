import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { newId } from '../../src/base/ids.ts'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { inSchool } from '../../src/database/school/inSchool.ts'
import { recordChanges } from '../../src/database/tables/changeLog.ts'
import { availableServices, throwawayPostgres } from '../support/databases.ts'
import { until } from '../support/poll.ts'
import { createHome, freePort, type ServiceProcess, startProcess } from '../support/process.ts'

const { postgresql } = await availableServices()
const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

/** How many webhooks a process has delivered. */
async function deliveredBy({ admin }: ServiceProcess): Promise<number> {
  const metrics = await (await fetch(`${admin}/metrics`)).text()
  const line = /^schoolgate_outbox_attempts_total\{(?=[^}]*kind="webhook")(?=[^}]*outcome="delivered")[^}]*\} (\d+)/m
  return Number(line.exec(metrics)?.[1] ?? 0)
}

test.runIf(postgresql)('two processes deliver each event, in the order of its object, and none is lost when one is killed', async () => {
  const [resources, versions] = [12, 15]
  const first: { resource: string; version: number }[] = []
  const seen = new Set<string>()
  const receiver = createServer(async (request, response) => {
    const { data } = JSON.parse(await text(request))
    // Long enough for deliveries to be under way when a process is killed.
    await delay(30)
    const id = String(request.headers['webhook-id'])
    if (!seen.has(id)) first.push({ resource: data.id, version: data.version })
    seen.add(id)
    response.writeHead(204).end()
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  undo.push(() => receiver.closeAllConnections())
  undo.push(() => receiver.close())
  const postgres = await throwawayPostgres()
  undo.push(postgres.drop)
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const home = await createHome({ issuer })
  undo.push(home.remove)
  await writeFile(join(home.directory, 'secret'), `whsec_${randomBytes(32).toString('base64')}\n`)
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  const school = {
    ...{ issuer, docs_url: 'https://docs.example.com', defaults: { name: 'Process School' } },
    webhooks: [{ name: 'crm', url, types: ['course'], secrets: [`file:${join(home.directory, 'secret')}`] }],
    webhook_private_hosts: ['127.0.0.1'],
  }
  await writeFile(join(home.config, 'schools/demo.yaml'), stringify(school))
  const environment = { DEMO: 'off', DATABASE_URL: postgres.url }
  const one = await startProcess({ home, port, environment })
  undo.push(() => one.kill())
  const two = await startProcess({ home, environment })
  undo.push(() => two.stop())
  const database = await openDatabase({ databaseUrl: postgres.url, dataDirectory: tmpdir(), poolSize: 2 })
  undo.push(() => database.close())
  const { id: school_id } = await database.kysely.selectFrom('school').select('id').executeTakeFirstOrThrow()

  const ids = Array.from({ length: resources }, () => newId())
  const change = (version: number) =>
    database.transaction((writer) =>
      recordChanges(
        inSchool(writer, school_id),
        { type: 'course', action: 'updated' },
        ids.map((id) => ({ id, version })),
      ),
    )
  for (let version = 1; version <= 10; version += 1) await change(version)
  await until(async () => (await deliveredBy(one)) > 0 && (await deliveredBy(two)) > 0, { what: 'both processes to deliver' })
  await one.kill()
  for (let version = 11; version <= versions; version += 1) await change(version)
  // As if the time had passed after which another process takes over what a dead one had claimed.
  await database.kysely.updateTable('outbox').set({ next_at: new Date() }).where('locked_until', 'is not', null).execute()
  await until(() => first.length === resources * versions, { what: 'every event' })
  const byResource = Map.groupBy(first, ({ resource }) => resource)
  expect(byResource.size).toBe(resources)
  for (const events of byResource.values())
    expect(events.map(({ version }) => version)).toEqual(Array.from({ length: versions }, (_, at) => at + 1))
  await until(
    async () => (await database.kysely.selectFrom('outbox').select('id').where('state', '!=', 'delivered').execute()).length === 0,
    { what: 'every delivery to be stored' },
  )
})
