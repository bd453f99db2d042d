import { describe, expect, test } from 'vitest'
import { duringTests } from '../../support/duringTests.ts'
import { password, startService } from '../../support/service.ts'
import { createBrowser, field } from '../browser.ts'
import { auditOf, isSignedIn, newPassword, resetLink, send, signedIn, startEmailChange } from './account.ts'

const service = duringTests(() => startService({ schools: 2 }))

let count = 0
const person = async () => {
  const email = `person${++count}@example.com`
  return { email, ...(await service.addPerson({ email })) }
}
const account = (id: string) => service.database.kysely.selectFrom('account').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const schoolAt = (issuer: string) => {
  const found = service.app.schools.all.find(({ school }) => school.issuer === issuer)
  if (!found) throw new Error(issuer)
  return found.school
}

/** Begins a change, and returns the e-mails that it sent. */
async function begin(accountId: string, email: string, issuer = service.issuer) {
  const emails = await startEmailChange(service, schoolAt(issuer), { accountId, email })
  return { emails, link: /https?:\/\/\S+token=\S+/.exec(emails[0]?.text ?? '')?.[0] ?? '' }
}

describe('a change of the address', () => {
  test('takes effect when the person, signed in, confirms it; the previous address gets a message that says how to reach the school', async () => {
    const { email, accountId, personId } = await person()
    const { emails, link } = await begin(accountId, 'fresh@example.com')
    expect(emails).toMatchObject([{ to: 'fresh@example.com' }])
    expect(await account(accountId)).toMatchObject({ email, pending_email: 'fresh@example.com' })

    const browser = createBrowser(service.issuer)
    const away = await browser.get(link)
    expect([away.status, away.location?.pathname]).toEqual([303, '/account/sign-in'])
    const back = await send(browser, await browser.follow(away), { email, password })
    const page = await browser.follow(back)
    expect(page.html).toContain('<bdi>fresh@example.com</bdi>')
    expect(await account(accountId)).toMatchObject({ email })

    await service.database.sql.query("UPDATE school SET contact_email = 'hello@example.com' WHERE id = $1", [service.schoolId()])
    const done = await send(browser, page)
    expect([done.status, done.html]).toEqual([200, expect.stringContaining('has been changed')])
    expect(await account(accountId)).toMatchObject({ email: 'fresh@example.com', pending_email: null, email_verified: true })
    const [row] = await service.database.kysely.selectFrom('person').select('email').where('id', '=', personId).execute()
    expect(row?.email).toBe('fresh@example.com')
    const notices = (await service.emails()).filter(({ subject }) => subject.includes('address at First School was changed'))
    const changed = notices.toSorted((one) => (one.to === email ? -1 : 1))
    expect(changed.map(({ to, subject }) => [to, subject])).toEqual([
      [email, expect.stringContaining('was changed')],
      ['fresh@example.com', expect.stringContaining('was changed')],
    ])
    expect(changed[0]?.text).toMatch(/contact the school immediately:\n\nhello@example\.com\n/)
    expect(changed[0]?.text).not.toContain('fresh@example.com')
    expect(changed[1]?.text).toMatch(/Contact the school:\n\nhello@example\.com\n/)
    expect((await auditOf(service, 'email.changed')).map(({ account_id }) => account_id)).toEqual([accountId])
    expect(await isSignedIn(browser)).toBe(true)
    await signedIn(service, 'fresh@example.com')
    expect((await browser.get(link)).status).toBe(410)
  })

  test('is not confirmed by another account, nor at another school, nor without the form of this session', async () => {
    const [one, two] = [await person(), await person()]
    await service.addPerson({ email: 'else@example.com', school: service.other })
    const { link } = await begin(one.accountId, 'mine@example.com')
    const token = new URL(link).searchParams.get('token') ?? ''
    const thief = await signedIn(service, two.email)
    expect((await thief.get(link)).status).toBe(410)
    const theirs = field((await thief.get('/account/sessions')).html, 'csrf')
    expect((await thief.post('/account/email', { csrf: theirs, token })).status).toBe(410)
    const elsewhere = await signedIn(service, 'else@example.com', password, service.other)
    expect((await elsewhere.get(`/account/email?token=${token}`)).status).toBe(410)
    const owner = await signedIn(service, one.email)
    expect((await owner.post('/account/email', { token })).status).toBe(403)
    expect((await owner.post('/account/email', { token, csrf: theirs })).status).toBe(403)
    expect(await account(one.accountId)).toMatchObject({ email: one.email, pending_email: 'mine@example.com' })
    expect((await send(owner, await owner.get(link))).status).toBe(200)
    expect(await account(one.accountId)).toMatchObject({ email: 'mine@example.com' })
  })

  test('to the address of another account notifies only its owner; the response is the same as for any other', async () => {
    const [one, two] = [await person(), await person()]
    const { emails, link } = await begin(one.accountId, two.email)
    expect(emails).toMatchObject([{ to: two.email, subject: expect.stringContaining('already have an account') }])
    expect(link).toBe('')
    expect(await account(one.accountId)).toMatchObject({ email: one.email, pending_email: two.email })
  })

  test('to an address that another account got meanwhile is refused, and the account keeps its own', async () => {
    const one = await person()
    const { link } = await begin(one.accountId, 'wanted@example.com')
    await service.addPerson({ email: 'wanted@example.com' })
    const browser = await signedIn(service, one.email)
    const answer = await send(browser, await browser.get(link))
    expect([answer.status, answer.html]).toEqual([409, expect.stringContaining('can no longer be used')])
    expect(await account(one.accountId)).toMatchObject({ email: one.email, pending_email: null })
  })

  test('by two accounts to one address at the same time: one of them gets it', async () => {
    const people = [await person(), await person()]
    const ready = []
    for (const { accountId, email } of people) {
      const { link } = await begin(accountId, 'prize@example.com')
      const browser = await signedIn(service, email)
      ready.push({ browser, page: await browser.get(link) })
    }
    const answers = await Promise.all(ready.map(({ browser, page }) => send(browser, page)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  })

  test('invalidates the earlier link when it is repeated, cancelled or replaced', async () => {
    const { email, accountId } = await person()
    const [first, second] = [await begin(accountId, 'first@example.com'), await begin(accountId, 'second@example.com')]
    const browser = await signedIn(service, email)
    expect((await browser.get(first.link)).status).toBe(410)
    expect((await browser.get(second.link)).status).toBe(200)
    const page = await browser.get(second.link)
    await service.database.kysely.updateTable('account').set({ pending_email: null }).where('id', '=', accountId).execute()
    expect((await send(browser, page)).status).toBe(410)
    expect(await account(accountId)).toMatchObject({ email })
    const called = await begin(accountId, email)
    expect(called.emails).toEqual([])
    expect(await account(accountId)).toMatchObject({ pending_email: null })
    expect((await browser.get(second.link)).status).toBe(410)
  })

  test('invalidates links that were sent to the previous address', async () => {
    const { email, accountId } = await person()
    const reset = await resetLink(service, email)
    const { link } = await begin(accountId, 'after@example.com')
    const browser = await signedIn(service, email)
    await send(browser, await browser.get(link))
    expect((await createBrowser(service.issuer).get(reset.href)).status).toBe(410)
  })

  test('is off once the password was replaced', async () => {
    const { email, accountId } = await person()
    const { link } = await begin(accountId, 'thief@example.com')
    const browser = createBrowser(service.issuer)
    await send(browser, await browser.get((await resetLink(service, email)).href), { password: newPassword, repeated: newPassword })
    const again = await signedIn(service, email, newPassword)
    expect((await again.get(link)).status).toBe(410)
  })

  test('leaves alone whom the school knows by the new address', async () => {
    const { email, accountId, personId } = await person()
    const { personId: other } = await service.addPerson({ email: 'imported@example.com' })
    await service.database.kysely
      .updateTable('account')
      .set({ email: 'free@example.com' })
      .where('email', '=', 'imported@example.com')
      .execute()
    const { link } = await begin(accountId, 'imported@example.com')
    const browser = await signedIn(service, email)
    expect((await send(browser, await browser.get(link))).status).toBe(200)
    const rows = await service.database.kysely.selectFrom('person').select(['id', 'email']).where('id', 'in', [personId, other]).execute()
    expect(Object.fromEntries(rows.map((row) => [row.id, row.email]))).toEqual({ [personId]: email, [other]: 'imported@example.com' })
  })

  test('is shown, and refused, without a token or with one that was made up', async () => {
    const { email } = await person()
    const browser = await signedIn(service, email)
    for (const query of ['', '?token=', '?token=x', '?token=%00', '?token=a&token=b']) {
      expect((await browser.get(`/account/email${query}`)).status).toBe(410)
    }
  })
})
