import { beforeAll, expect, test } from 'vitest'
import { newId } from '../../../src/base/ids.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startService } from '../../support/service.ts'
import { createBrowser } from '../browser.ts'
import { choosePassword, newPassword, send, signedIn, signUpLink } from './account.ts'

const service = duringTests(() => startService())
beforeAll(async () => {
  await service.database.sql.query("UPDATE school SET registration = 'closed'")
})

const person = async (email: string) =>
  (
    await service.database.sql.query<Record<string, unknown>>(
      'SELECT student_status, member_status, joined_at, last_active_at, account_id, version FROM person WHERE email = $1',
      [email],
    )
  )[0]
const invite = (email: string, columns: Record<string, unknown>) =>
  service.database.kysely
    .insertInto('person')
    .values({ school_id: service.schoolId(), id: newId(), email, name: 'Rowan', ...columns } as never)
    .execute()

test('an invited student or member can create an account at a closed school, and is active from then on', async () => {
  await invite('student@example.com', { is_student: true, student_status: 'invited' })
  await invite('member@example.com', { is_member: true, member_status: 'invited' })
  for (const email of ['student@example.com', 'member@example.com']) {
    expect((await choosePassword(service, await signUpLink(service, email))).status).toBe(303)
    expect(await person(email)).toMatchObject({ student_status: 'active', member_status: 'active', account_id: expect.any(String) })
  }
  expect((await person('student@example.com'))?.joined_at).toBeNull()
  expect((await person('member@example.com'))?.joined_at).toBeInstanceOf(Date)
})

test('a visit is recorded and counts no version; suspended and blocked people stay so', async () => {
  await service.database.sql.query(
    `UPDATE person SET student_status = 'suspended', member_status = 'blocked', last_active_at = NULL WHERE email = 'member@example.com'`,
  )
  const before = await person('member@example.com')
  await signedIn(service, 'member@example.com', newPassword)
  expect(await person('member@example.com')).toEqual({ ...before, last_active_at: expect.any(Date) })
})

test('a known person without an invitation gets nothing, like a stranger', async () => {
  await invite('known@example.com', { is_student: true })
  await invite('not-as-this@example.com', { is_student: true, member_status: 'invited' })
  for (const email of ['known@example.com', 'not-as-this@example.com', 'stranger@example.com']) {
    const browser = createBrowser(service.issuer)
    const before = (await service.emails()).length
    await send(browser, await browser.get('/account/sign-up'), { email, name: 'Rowan' })
    expect([email, (await service.emails()).length - before]).toEqual([email, 0])
  }
})
