import { describe, expect, test } from 'vitest'
import { duringTests } from '../../support/duringTests.ts'
import { startService } from '../../support/service.ts'
import { send, signedIn } from './account.ts'

const service = duringTests(() =>
  startService({
    people: [{ email: 'owner@example.com', role: 'owner' }, { email: 'learner@example.com' }],
    school: { languages: ['de', 'en'] },
  }),
)
const owner = duringTests(() => signedIn(service, 'owner@example.com'))
const path = '/account/school/set-up'
const section = (html: string): string => /<section class="card" aria-labelledby="first-steps">[\s\S]*?<\/section>/.exec(html)?.[0] ?? ''
const doneIn = (html: string): number => section(html).match(/class="mark current">(Done|Erledigt)</g)?.length ?? 0
const address = {
  name: 'Töpferei “Drei Öfen” <b>',
  line1: '12 *Kiln* Lane',
  city: '東京',
  country: 'DE',
  contact_email: 'hello@example.com',
}

describe('the first steps of a school', () => {
  test('are for owners and admins', async () => {
    const learner = await signedIn(service, 'learner@example.com')
    expect((await learner.get(path)).status).toBe(404)
    const page = await owner.get(path)
    expect(page.status).toBe(200)
    expect((await learner.post(`${path}/details`, { csrf: 'none' })).status).toBe(404)
  })

  test('tick themselves from the data of the school, and disappear', async () => {
    expect(section((await owner.get('/account/school?lang=en')).html)).toContain(`href="${path}#details"`)
    const step = async (action: RegExp, fields: Record<string, string> = {}): Promise<string> => {
      const answer = await send(owner, await owner.get(path), fields, action)
      expect([answer.status, answer.location?.pathname]).toEqual([303, path])
      return (await owner.get('/account/school')).html
    }
    const before = doneIn((await owner.get('/account/school')).html)
    expect(doneIn(await step(/details$/, { ...address, line2: '', postal_code: '', tax_id: '12/345/67890' }))).toBe(before + 1)
    expect(doneIn(await step(/imprint$/))).toBe(before + 2)
    const imprint = await owner.get('/pages/legal/imprint')
    expect(imprint.html).toContain('12 *Kiln* Lane')
    expect(imprint.html).toContain('東京')
    expect(imprint.html).not.toContain('<b>')
    const preview = await owner.get(`${path}?palette=campus`)
    expect(preview.html).toContain('fill="#1d4f91"')
    expect((await send(owner, preview, {}, /look$/)).status).toBe(303)
    expect(doneIn(await step(/course$/, { course_title: 'Vom Ton zum Krug' }))).toBe(before + 4)
    expect(section(await step(/publish$/))).toBe('')
    expect((await owner.get('/courses')).html).toContain('Vom Ton zum Krug')
  })

  test('say what is wrong, and keep what was typed', async () => {
    const wrong = await send(owner, await owner.get(path), { ...address, contact_email: 'nobody' }, /details$/)
    expect(wrong.status).toBe(422)
    expect(wrong.html).toContain('value="12 *Kiln* Lane"')
    expect(wrong.html).toContain('href="#contact_email"')
    const unreadable = await owner.get(`${path}?text=%23ffffff&background=%23ffffff&primary=javascript:1`)
    expect(unreadable.html).not.toContain('javascript')
    expect((await send(owner, unreadable, {}, /look$/)).html).toContain('cannot be read well')
    expect((await send(owner, await owner.get(path), { course_title: ' ' }, /course$/)).html).toContain('href="#course_title"')
  })

  test('send a draft once, also after a double click', async () => {
    const page = await owner.get(path)
    const sent = await Promise.all([1, 2].map(() => send(owner, page, { course_title: 'Twice' }, /course$/)))
    expect(sent.every(({ status }) => status < 500)).toBe(true)
    const rows = await service.database.sql.query("SELECT id FROM course WHERE title = 'Twice'")
    expect(rows).toHaveLength(1)
    expect(await service.database.sql.query('SELECT id FROM lecturer')).toHaveLength(1)
  })
})
