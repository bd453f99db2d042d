import { afterAll, beforeAll, expect, test } from 'vitest'
import { operationInput } from '../../../src/engine/output/operationInput.ts'
import { takesDryRun } from '../../../src/engine/write/dryRun.ts'
import { makeDemoSchool } from '../../../src/operate/demo/makeDemoSchool.ts'
import { createTexts, type Texts, textsIn } from '../../../src/pages/texts.ts'
import deFields from '../../../views/locales/de.fields.json' with { type: 'json' }
import { type DemoApi, startDemoApi } from '../../school/demoApi.ts'
import { createSubjects, type Subjects } from '../../school/derived/createSubjects.ts'
import { actorOf, everyWrite, withMatch } from '../../school/derived/everyWrite.ts'
import { passwordHash, startService, type TestService } from '../../support/service.ts'
import type { Browser } from '../browser.ts'
import { signedIn } from './account.ts'

const german: Readonly<Record<string, string>> = deFields.names

let service: TestService
let api: DemoApi
let subjects: Subjects
const zones = new Map<string, string>()
const browsers = new Map<string, Browser>()

beforeAll(async () => {
  service = await startService({ redis: false })
  const [entry] = service.app.schools.all
  if (!entry) throw new Error('the service has a school')
  const { school } = entry
  await makeDemoSchool(service.database, { school, now: new Date(), hashPassword: async () => passwordHash, only: 'catalogue' })
  api = await startDemoApi({ database: service.database, drop: async () => {} }, undefined, undefined, { school, reasonOf: () => 'access' })
  const { sql } = service.database
  await sql.query("UPDATE person SET is_member = true WHERE email = 'admin1@example.com'")
  await sql.query(
    `INSERT INTO oidc_grant (school_id, id, account_id, client_id, payload, expires_at)
     SELECT school_id, 'grant', id, 'cli_test', '{}', now() + interval '1 day' FROM account LIMIT 1`,
  )
  subjects = createSubjects(api)
  for (const email of ['owner@example.com', 'admin1@example.com']) {
    browsers.set(email, await signedIn(service, email))
    zones.set(email, String((await api.get('/api/v1/account', { as: email })).json.time_zone ?? 'UTC'))
  }
}, 120_000)
afterAll(async () => {
  await api.stop()
  await service.stop()
})

/** They need a session, an authorization or a proposal: see `approvals.test.ts` and `proposals.test.ts`. */
const ofService: readonly string[] = [
  ...['endSession', 'revokeAuthorization'],
  ...['submitProposal', 'endProposal', 'removeProposalRequest'],
]
/** It stops e-mails of the app itself, and never asks. */
const neverAsks = ['stopEmails']
const tested = everyWrite.filter((one) => takesDryRun(one) && ![...ofService, ...neverAsks].includes(one.id))

test('every write that an app can ask for is shown with each value that it sends, in both languages', async () => {
  const missing: unknown[] = []
  for (const operation of tested) {
    const actor = actorOf(operation)
    await service.database.sql.query("UPDATE oidc_grant SET account_id = (SELECT id FROM account WHERE email = $1) WHERE id = 'grant'", [
      actor,
    ])
    const { id, sending } = await requestFor(operation, actor)
    const address = subjects.addressOf(operation, id).replace(/act_\w+/, id)
    const reply = await api.send(address, {
      ...withMatch({ ...sending, method: operation.method, as: actor }),
      headers: { ...sending.headers, 'if-match': '*', 'x-test-asks-first': '1' },
    })
    await service.database.sql.query("UPDATE proposal SET expires_at = now() WHERE status = 'submitted' AND id::text < $1", ['f'])
    if (reply.json.error !== 'approval_required') {
      missing.push([operation.id, reply.status, reply.text.slice(0, 900)])
      continue
    }
    const [detail] = reply.json.details as { meta: { url: string } }[]
    for (const language of ['en', 'de'] as const) {
      const texts = textsIn(zones.get(actor) ?? 'UTC', createTexts(language))
      const shown = await browsers.get(actor)?.get(`${new URL(String(detail?.meta.url)).pathname}?lang=${language}`)
      const page = textOf(shown?.html ?? '')
      const ids = [...page.matchAll(/\b(?!apr_|aut_|act_)[a-z]{3}_[0-9a-z]{26}\b/g)].map(([one]) => one)
      const values =
        sending.body === undefined ? [] : leavesOf(sending.body).filter((leaf) => !formsOf(texts, leaf).some((form) => page.includes(form)))
      const body = sending.body instanceof Object ? Object.keys(sending.body) : []
      const labels = body.filter((name) => !page.includes(language === 'de' ? String(german[name]) : texts.field(name)))
      if (labels.length > 0) missing.push([operation.id, language, 'labels', labels])
      if (values.length > 0 || ids.length > 0 || shown?.status !== 200) missing.push([operation.id, language, shown?.status, values, ids])
    }
  }
  expect(missing).toEqual([])
}, 300_000)

/** Returns a request that has an effect: to take something back, something that the app has done. */
async function requestFor(operation: (typeof tested)[number], actor: string) {
  if (operation.id === 'undoActivity') return { id: await activity(actor), sending: { body: {} } }
  if (operation.id !== 'undoActivities') {
    const id = await subjects.subjectOf(operation)
    if (operation.id === 'resumeSubscription')
      expect((await api.send(`/api/v1/subscriptions/${id}/pause`, withMatch({ as: actor, body: {} }))).status).toBe(200)
    return { id, sending: await subjects.sendingFor(operation, id) }
  }
  await activity(actor)
  return { id: '', sending: { body: { since: new Date(Date.now() - 60_000).toISOString() } } }
}

/** Returns the id of what the app did last for a person. */
async function activity(as: string): Promise<string> {
  expect((await api.send('/api/v1/courses', { as, body: { title: 'To take back' } })).status).toBe(201)
  const { json } = await api.get('/api/v1/account/activity', { as })
  return (json.data as { id: string }[])[0]?.id ?? ''
}

test('every member of a request has a German text', () => {
  const names = everyWrite.flatMap((operation) => Object.keys(operationInput(operation).fields))
  expect([...new Set(names)].filter((name) => german[name] === undefined)).toEqual([])
})

const textOf = (html: string): string =>
  html
    .replaceAll(/<nav[\s\S]*?<\/nav>/g, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&#34;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll(/\s+/g, ' ')

interface Leaf {
  name: string
  value: unknown
}

const leavesOf = (value: unknown, name = ''): Leaf[] => {
  if (Array.isArray(value)) return value.flatMap((one) => leavesOf(one, name))
  if (typeof value !== 'object' || value === null) return [{ name, value }]
  const { amount, currency, ...others } = value as Record<string, unknown>
  if (typeof amount === 'number' && typeof currency === 'string') return [{ name, value: { amount, currency } }, ...leavesOf(others)]
  return Object.entries(value).flatMap(([member, one]) => leavesOf(one, member))
}

/** Returns the texts of which one shows the value. The page names an id, which the caller checks separately. */
function formsOf(texts: Texts, { value }: Leaf): string[] {
  if (value === null || value === '') return [texts.text('approval.nothing')]
  if (typeof value === 'boolean') return [texts.text(value ? 'approval.yes' : 'approval.no')]
  if (typeof value === 'number') return [String(value)]
  if (typeof value === 'object') {
    const { amount, currency } = value as { amount: number; currency: string }
    return [new Intl.NumberFormat(texts.dateLocale, { style: 'currency', currency }).format(amount / 100).replaceAll(/\s/g, ' ')]
  }
  const text = String(value)
  if (/^[a-z]{3}_[0-9a-z]{26}$/.test(text)) return ['']
  if (/^\d{4}-\d\d-\d\dT/.test(text)) return [texts.moment(new Date(text)).replaceAll(/\s/g, ' ')]
  return [text.replaceAll(/\s+/g, ' '), texts.choice(text)]
}
