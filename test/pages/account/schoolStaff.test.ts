import { describe, expect, test } from 'vitest'
import { newId } from '../../../src/base/ids.ts'
import { duringTests } from '../../support/duringTests.ts'
import { visibleText } from '../../support/german.ts'
import { startPlatform } from '../../support/platform.ts'
import { startService } from '../../support/service.ts'
import type { Browser } from '../browser.ts'
import { send, signedIn } from './account.ts'

const service = duringTests(() =>
  startService({
    people: [
      { email: 'owner@example.com', role: 'owner' },
      { email: 'admin@example.com', role: 'admin' },
      { email: 'learner@example.com' },
    ],
  }),
)
const platform = duringTests(() => startPlatform(service))
const owner = duringTests(() => signedIn(service, 'owner@example.com'))
const admin = duringTests(() => signedIn(service, 'admin@example.com'))

const staffPage = '/account/school/staff'
const query = <Row extends object>(text: string, values: unknown[]) => service.database.sql.query<Row>(text, values)
const staffOf = async (email: string) => {
  const [row] = await query<{ role: string; status: string }>(
    'SELECT role, status FROM staff JOIN person ON person.school_id = staff.school_id AND person.id = staff.person_id WHERE person.email = $1',
    [email],
  )
  return row && `${row.role} ${row.status}`
}
const shown = (html: string): string => visibleText(html).replaceAll('&lt;', '<').replaceAll('&gt;', '>').replace(/\s+/g, ' ')
/** Sends the form of the staff page that names this person, or the first one with this action. */
async function act(browser: Browser, action: string, values: Record<string, string>, email?: string) {
  const page = await browser.get(staffPage)
  const row = email === undefined ? page.html : (page.html.match(/<tr>[\s\S]*?<\/tr>/g)?.find((one) => one.includes(email)) ?? '')
  const id = /name="id" value="([^"]*)"/.exec(row)?.[1] ?? ''
  const named = Object.fromEntries(Object.entries(values).map(([name, value]) => [name.replace('{id}', id), value]))
  return await send(browser, { ...page, html: row }, named, new RegExp(`${action}$`))
}

describe('the staff page', () => {
  test('invites a person by e-mail, changes the role and removes the person', async () => {
    const invited = await act(owner, 'invite', { email: ' rowan@example.com ', role: 'lecturer' })
    expect([invited.status, invited.location?.search]).toEqual([303, '?done=invited'])
    expect(await staffOf('rowan@example.com')).toBe('lecturer invited')
    expect((await service.emails()).filter(({ to }) => to === 'rowan@example.com')).toHaveLength(1)
    expect((await act(owner, 'role', { 'role-{id}': 'admin' }, 'rowan@example.com')).location?.search).toBe('?done=role')
    expect(await staffOf('rowan@example.com')).toBe('admin invited')
    expect((await act(owner, 'remove', {}, 'rowan@example.com')).location?.search).toBe('?done=removed')
    expect(await staffOf('rowan@example.com')).toBe('lecturer removed'.replace('lecturer', 'admin'))
  })

  test('says why an address, a known person or a role that only owners give is refused', async () => {
    for (const [browser, email, role, text] of [
      [owner, 'no address', 'lecturer', 'This is not a valid e-mail address'],
      [owner, 'admin@example.com', 'lecturer', 'This person is already on the staff.'],
      [admin, 'ivy@example.com', 'owner', 'Only an owner can do this.'],
    ] as const) {
      const page = await act(browser, 'invite', { email, role })
      expect(
        [page.status >= 400 && page.status < 500, visibleText(page.html).includes(text)],
        visibleText(page.html).slice(0, 900),
      ).toEqual([true, true])
      expect(page.html).toContain(`value="${email}"`)
    }
  })

  test('removes the second factor of a learner, who gets an e-mail, and refuses that for staff', async () => {
    for (const email of ['learner@example.com', 'admin@example.com'])
      await query(
        `INSERT INTO passkey (school_id, id, account_id, credential_id, public_key, counter, transports, is_synced, name)
         SELECT school_id, $2, id, $3, '\\x00', 0, '{}', false, 'Phone' FROM account WHERE email = $1`,
        [email, newId(), Buffer.from(email)],
      )
    const keys = async () => (await query('SELECT id FROM passkey', [])).length
    expect((await act(owner, 'second-factor', { lost: 'admin@example.com' })).status).toBe(409)
    expect(await keys()).toBe(2)
    expect((await act(owner, 'second-factor', { lost: 'Learner@example.com' })).location?.search).toBe('?done=factor')
    expect(await keys()).toBe(1)
    const mails = (await service.emails()).filter(
      ({ to, subject }) => to === 'learner@example.com' && subject.includes('passkey was removed'),
    )
    expect([mails.length, /Network:/.test(mails[0]?.text ?? '')]).toEqual([1, false])
    const audit = await query("SELECT id FROM audit_log WHERE event = 'school.second_factor_removed'", [])
    expect(audit).toHaveLength(1)
  })
})

describe('the answers to a form', () => {
  test('are read by owners and admins only, under their questions', async () => {
    const fields = [
      { key: 'name', label: 'Your name', kind: 'text' },
      { key: 'news', label: 'News', kind: 'checkbox' },
      { key: 'glazes', label: 'Glazes', kind: 'multiple_choice', options: ['Ash', 'Celadon'] },
    ]
    const form = await platform.report('/forms', { school: 'first', slug: 'ask', title: 'Ask <b>us</b>', status: 'published', fields })
    const id = String(form.body.id)
    const answers = { name: 'Wren <i>', news: true, glazes: ['Ash', 'Celadon'] }
    const sent = await platform.report('/form_submissions', { school: 'first', form: 'ask', answers })
    expect(sent.status, JSON.stringify(sent.body)).toBeLessThan(300)
    const list = await admin.get('/account/school/forms')
    expect(shown(list.html)).toContain('Ask <b>us</b>')
    expect(list.html).toContain(`href="/account/school/forms/${id}"`)
    const page = shown((await owner.get(`/account/school/forms/${id}`)).html)
    for (const line of ['Your name : Wren <i>', 'News : Yes', 'Glazes : Ash, Celadon']) expect(page).toContain(line)
    const learner = await signedIn(service, 'learner@example.com')
    for (const path of ['/account/school/forms', `/account/school/forms/${id}`, staffPage])
      expect((await learner.get(path)).status).toBe(404)
    expect((await owner.get('/account/school/forms/frm_nothing')).status).toBe(404)
  })
})
