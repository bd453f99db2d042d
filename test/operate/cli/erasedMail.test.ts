// Proves GDPR article 17: The e-mails of an erased person in the outbox are deleted

import { beforeAll, describe, expect, test } from 'vitest'
import { toPublicId } from '../../../src/base/ids.ts'
import { createKeyring } from '../../../src/base/keyring.ts'
import { createLog } from '../../../src/base/log/log.ts'
import { createOutbox } from '../../../src/operate/compose/outbox.ts'
import { runJob } from '../../../src/operate/jobs/schedule.ts'
import { send } from '../../pages/account/account.ts'
import { createBrowser } from '../../pages/browser.ts'
import { allScopes, createAgent, personCalled } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { rootSecret } from '../../support/service.ts'
import { placesToTest } from './cli.ts'

describe.each(await placesToTest())('e-mails of an erased person that wait in the outbox, $name', ({ open }) => {
  const place = duringTests(open)
  beforeAll(async () => {
    await place.service.addPerson({ email: 'owner@example.org', role: 'owner' })
  })

  const rows = () => place.service.database.kysely.selectFrom('outbox').select(['id', 'kind', 'state', 'payload']).orderBy('id').execute()

  const ways: Record<string, (person: { email: string; accountId: string; personId: string }) => Promise<unknown>> = {
    'an operator erases the person': ({ email }) => place.cli(['people', 'erase', email, '--yes']),
    async 'the staff erase the person'({ personId }) {
      const agent = await createAgent(place.service.issuer)
      const { body } = await agent.tokens(personCalled('owner@example.org'), { scope: allScopes }, { scopes: 'all' })
      const url = `${place.service.issuer}/api/v1/students/${toPublicId('std', personId)}`
      expect((await fetch(url, { method: 'DELETE', headers: { authorization: `Bearer ${body.access_token}` } })).ok).toBe(true)
    },
    async 'the account is deleted when its time comes'({ accountId }) {
      const past = new Date(Date.now() - 1000)
      await place.service.database.kysely.updateTable('account').set({ deletion_scheduled_at: past }).where('id', '=', accountId).execute()
      const job = place.service.app.jobs.find(({ name }) => name === 'delete_accounts')
      if (job) await runJob(job, createLog('silent'))
    },
  }

  test.each(Object.entries(ways))('are deleted when %s, and those of others arrive', async (_way, erase) => {
    await place.service.emails()
    await place.service.database.kysely.deleteFrom('outbox').execute()
    const email = `gone${Math.random().toString(36).slice(2)}@example.org`
    const person = await place.service.addPerson({ email })
    const { kysely, afterCommit } = place.service.database
    await kysely
      .updateTable('account')
      .set({ pending_email: `new-${email}` })
      .where('id', '=', person.accountId)
      .execute()
    const outbox = createOutbox({ database: { afterCommit }, keyring: createKeyring([rootSecret]) })
    const [entry] = place.service.app.schools.all
    if (!entry) throw new Error('no school')
    const link = `${place.service.issuer}/account`
    for (const to of [email, email.toUpperCase(), `new-${email}`, 'other@example.org'])
      await outbox.send(kysely, entry.school, { email: to, locales: ['en'] }, 'person_invited', { link })
    const browser = createBrowser(place.service.issuer)
    await send(browser, await browser.get('/account/password'), { email })
    await outbox.defer(kysely, entry.school.id, 'account_notice', {
      account_id: person.accountId,
      kind: 'password_changed',
      at: new Date().toISOString(),
      values: {},
    })
    expect((await rows()).length).toBe(6)
    await erase({ ...person, email })
    const left = (await rows()).filter(({ kind }) => kind !== 'webhook')
    expect(left.filter(({ kind }) => kind === 'email')).toHaveLength(1)
    expect(left.filter(({ kind }) => kind === 'password_reset_request')).toEqual([])
    const sent = await place.service.emails()
    expect(sent.filter(({ to }) => to.toLowerCase().includes(email))).toEqual([])
    expect(sent.filter(({ to }) => to === 'other@example.org').length).toBeGreaterThan(0)
  })
})
