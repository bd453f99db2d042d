import { describe, expect, test } from 'vitest'
import { fromPublicId } from '../../../src/base/ids.ts'
import { createKeyring } from '../../../src/base/keyring.ts'
import { createFormStamps } from '../../../src/pages/forms/formStamp.ts'
import { createBrowser, field } from '../../pages/browser.ts'
import { databasesToTest } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startSales } from '../../support/sales.ts'
import { rootSecret } from '../../support/service.ts'

const clays = ['Stoneware', 'Porcelain'] as const
const fields = [
  { key: 'email', label: 'E-mail', kind: 'email', required: true },
  { key: 'clay', label: 'Clay', kind: 'single_choice', options: [...clays], required: true },
  { key: 'glazes', label: 'Glazes', kind: 'multiple_choice', options: ['Ash', 'Salt'] },
]

/** Counts what the steps of the test send, as the model of the form. */
class Intake {
  stored: { email: string; clay: string; glazes: string[]; spam: boolean }[] = []

  add(email: string, clay: string, { glazes = [], spam = false }: { glazes?: string[]; spam?: boolean } = {}): void {
    this.stored.push({ email, clay, glazes, spam })
  }

  real() {
    return this.stored.filter(({ spam }) => !spam)
  }

  choices() {
    const count = (isChosen: (one: Intake['stored'][number]) => boolean) => this.real().filter(isChosen).length
    return {
      clay: Object.fromEntries(clays.map((clay) => [clay, count((one) => one.clay === clay)])),
      glazes: Object.fromEntries(['Ash', 'Salt'].map((glaze) => [glaze, count((one) => one.glazes.includes(glaze))])),
    }
  }
}

describe.each(await databasesToTest())('the forms of an empty school, on $name', ({ open }) => {
  const sales = duringTests(() => startSales({ open }))

  const read = async (path: string) => {
    const { status, body } = await sales.call('GET', path)
    expect([path, status]).toEqual([path, 200])
    return body
  }
  const stamps = createFormStamps(createKeyring([rootSecret]))
  /** Fills in the page of the form as a browser does, so many seconds after it was shown. */
  async function submitPage(form: { id: string; slug: string }, answers: Record<string, string | string[]>, secondsAgo = 10) {
    const browser = createBrowser(sales.service.issuer)
    const page = await browser.get(`/forms/${form.slug}`)
    if (page.status !== 200) return page.status
    const stamp = stamps.issue(
      { school: { id: sales.schoolId }, form: { id: form.id, consent_text: null } },
      Date.now() - secondsAgo * 1000,
    )
    const named = Object.fromEntries(Object.entries(answers).map(([key, value]) => [key === 'homepage' ? key : `q-${key}`, value]))
    return (await browser.post(`/forms/${form.slug}`, { csrf: field(page.html, 'csrf'), stamp, ...named })).status
  }

  test('starts without forms; submissions of people and programs arrive by page and by report, and list, summary, export and change feed equal the model', async () => {
    const intake = new Intake()
    expect((await read('/forms')).data).toEqual([])
    expect((await read('/form_submissions')).data).toEqual([])
    const start = (await read('/changes?types=form,form_submission&cursor=latest')).page.next_cursor as string
    const define = (more: object = {}) =>
      sales.platform.report('/forms', { slug: 'ask', title: 'Ask us', status: 'draft', fields, consent_text: null, ...more })

    // A draft takes nothing, by no way.
    const { body: made } = await define()
    const form = { id: fromPublicId('frm', made.id) as string, slug: 'ask' }
    const report = (contact: string, clay: string, more: object = {}) =>
      sales.platform.report('/form_submissions', { form: 'ask', answers: { email: contact, clay }, ...more })
    expect([
      await submitPage(form, { email: 'a@example.org', clay: 'Porcelain' }),
      (await report('a@example.org', 'Porcelain')).status,
    ]).toEqual([404, 409])
    expect((await sales.call('GET', '/forms', undefined, { as: null })).body.data).toEqual([])

    await define({ status: 'published' })
    expect((await sales.call('GET', '/forms/ask', undefined, { as: null })).body).toMatchObject({ slug: 'ask', status: 'published' })
    const page = async (email: string, clay: string, more: Record<string, string | string[]> = {}) => [
      await submitPage(form, { email, clay, ...more }),
    ]
    expect(await page('wren@example.org', 'Stoneware', { glazes: ['Ash', 'Salt'] })).toEqual([303])
    intake.add('wren@example.org', 'Stoneware', { glazes: ['Ash', 'Salt'] })
    expect(await page('fenn@example.org', 'Porcelain', { glazes: ['Salt'] })).toEqual([303])
    intake.add('fenn@example.org', 'Porcelain', { glazes: ['Salt'] })
    expect((await report('hazel@example.org', 'Porcelain')).status).toBe(201)
    intake.add('hazel@example.org', 'Porcelain')

    // Wrong answers store nothing. Programs fill in the hidden field or are too fast: their submissions are spam.
    expect([
      await submitPage(form, { email: 'no address', clay: 'Porcelain' }),
      await submitPage(form, { email: 'x@example.org', clay: 'Mud' }),
    ]).toEqual([422, 422])
    expect((await report('x@example.org', 'Mud')).status).toBe(422)
    expect(await page('bot1@example.org', 'Stoneware', { homepage: 'https://spam.example' })).toEqual([303])
    intake.add('bot1@example.org', 'Stoneware', { spam: true })
    expect(await submitPage(form, { email: 'bot2@example.org', clay: 'Stoneware' }, 1)).toBe(303)
    intake.add('bot2@example.org', 'Stoneware', { spam: true })
    expect((await report('bot3@example.org', 'Stoneware', { spam: true })).status).toBe(201)
    intake.add('bot3@example.org', 'Stoneware', { spam: true })

    // One person submits concurrently with others: nothing is lost or counted twice.
    const crowd = Array.from({ length: 8 }, (_, index) => ({ email: `crowd${index}@example.org`, clay: clays[index % 2] as string }))
    const statuses = await Promise.all(
      crowd.map(({ email, clay }, index) =>
        index % 2 === 0 ? submitPage(form, { email, clay }) : report(email, clay).then(({ status }) => status),
      ),
    )
    expect(new Set(statuses)).toEqual(new Set([303, 201]))
    for (const { email, clay } of crowd) intake.add(email, clay)

    // The staff see all; the figures do not count spam, except the one that says so.
    expect(await read('/forms/ask')).toMatchObject({ submissions_count: intake.stored.length, last_submission_at: expect.any(String) })
    const summary = await read(`/forms/${made.id}/summary`)
    expect([summary.submissions, summary.choices]).toEqual([intake.real().length, intake.choices()])
    expect([summary.spam, summary.submissions + summary.spam]).toEqual([
      intake.stored.length - intake.real().length,
      (await read('/forms/ask')).submissions_count,
    ])
    expect(await read('/forms/ask/summary')).toEqual(summary)
    expect(summary.by_day.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(intake.real().length)
    const listed = async (query: string) =>
      (await read(`/form_submissions?form_id=${made.id}&limit=100${query}`)).data.map(
        ({ answers }: { answers: { email: string } }) => answers.email,
      ) as string[]
    const emailsOf = (rows: readonly { email: string }[]) => rows.map(({ email }) => email).toSorted()
    expect((await listed('')).toSorted()).toEqual(emailsOf(intake.stored))
    expect((await listed('&spam=false')).toSorted()).toEqual(emailsOf(intake.real()))
    expect(await listed('&email=fenn@example.org')).toEqual(['fenn@example.org'])
    const csv = await sales.call('GET', `/forms/${made.id}/submissions`, undefined, { headers: { accept: 'text/csv' } })
    expect(String(csv.body).trim().split('\r\n')).toHaveLength(intake.stored.length + 1)
    await sales.service.addPerson({ email: 'reader@example.org' })
    for (const [as, status] of [
      [null, 403],
      ['reader@example.org', 403],
    ] as const)
      expect([as, (await sales.call('GET', '/form_submissions', undefined, { as })).status]).toEqual([as, status])

    // A closed form takes nothing more. The feed has each stored submission once.
    await define({ status: 'closed' })
    expect([
      await submitPage(form, { email: 'z@example.org', clay: 'Porcelain' }),
      (await report('z@example.org', 'Porcelain')).status,
    ]).toEqual([404, 409])
    const changes = async (): Promise<{ type: string; action: string; resource: { id: string } }[]> =>
      (await read(`/changes?types=form,form_submission&limit=500&cursor=${encodeURIComponent(start)}`)).data
    // The feed waits for transactions that began earlier, also those of other databases of the server. Closing the form is the last change.
    const isClosed = async () => (await changes()).filter(({ type }) => type === 'form').length
    await expect.poll(isClosed).toBeGreaterThanOrEqual(3)
    const created = (await changes()).filter(({ type, action }) => type === 'form_submission' && action === 'created')
    expect(new Set(created.map(({ resource }) => resource.id)).size).toBe(intake.stored.length)
    expect(created).toHaveLength(intake.stored.length)
  })
})
