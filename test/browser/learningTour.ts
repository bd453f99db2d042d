import type { Page } from 'playwright-core'
import { allScopes, createAgent, personCalled } from '../support/agent.ts'
import type { TourGuide } from './tour.ts'

const owner = 'owner@example.com'
const learner = 'learner001@example.org'
const slug = 'drehen-lernen'

const quiz = {
  show_explanations: 'after_attempt',
  questions: [
    {
      ...{ id: 'q1', kind: 'single', prompt: 'Welcher Ton wird am heißesten gebrannt?', explanation: 'Steinzeug brennt bei 1200 Grad.' },
      choices: [
        { id: 'a', text: 'Steinzeug', correct: true },
        { id: 'b', text: 'Irdenware' },
      ],
    },
    {
      ...{ id: 'q2', kind: 'multiple', prompt: 'Was gehört auf die Scheibe?' },
      choices: [
        { id: 'a', text: 'Ton', correct: true },
        { id: 'b', text: 'Wasser', correct: true },
      ],
    },
    { id: 'q3', kind: 'short_text', prompt: 'Wie heißt weißer Ton?', accepted_answers: ['Kaolin'] },
  ],
}

/** Publishes a course in which the learner is enrolled, and a membership with two prices, once. Returns the paths of its lessons. */
export async function learn({ agent: { issuer } }: TourGuide): Promise<string[]> {
  const app = await createAgent(issuer)
  const tokenOf = async (email: string): Promise<string> =>
    (await app.tokens(personCalled(email), { scope: allScopes }, { scopes: 'all' })).body.access_token
  const token = await tokenOf(owner)
  const call = async (path: string, body?: object, method = body ? 'POST' : 'GET') => {
    const response = await fetch(`${issuer}/api/v1${path}`, {
      ...{ method, headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' } },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok && response.status !== 404) throw new Error(`${path}: ${await response.text()}`)
    const answer: { id?: string; sections?: { lessons: { id: string }[] }[] } = Object(await response.json())
    return answer
  }
  const outline = async (): Promise<string[]> =>
    ((await call(`/courses/${slug}/curriculum`)).sections ?? []).flatMap(({ lessons }) =>
      lessons.map(({ id }) => `/account/courses/${slug}/lessons/${id}`),
    )
  const found = await outline()
  if (found.length > 0) return found
  const { id: lecturer } = await call('/lecturers', { display_name: 'Toni Scheibe', slug: 'toni' })
  const { id: course } = await call('/courses', {
    ...{ title: 'Drehen lernen auf der langsamen Scheibe', slug, language: 'de', access: 'free', lecturer_ids: [lecturer] },
  })
  const { id: section } = await call(`/courses/${course}/sections`, { title: 'Schalen', summary: 'Der Anfang.' })
  for (const lesson of [
    { title: 'Kneten', kind: 'text', content: '## Kneten\n\n| Ton | Wasser |\n| --- | --- |\n| viel | wenig |\n\n- eins\n- zwei\n' },
    {
      title: 'Zentrieren',
      kind: 'video',
      duration_seconds: 600,
      media: { embed_url: 'https://vimeo.com/1' },
      drip: { mode: 'days_after_enrollment', days: 9 },
    },
    { title: 'Was Sie wissen', kind: 'quiz', quiz },
  ]) {
    const { id } = await call(`/sections/${section}/lessons`, lesson)
    await call(`/lessons/${id}/publish`, {})
  }
  await call(`/courses/${course}/publish`, {})
  await call('/enrollments', { course_id: course, student_email: learner })
  const { id: plan } = await call('/membership_plans', { name: 'Drehbank', slug: 'drehbank' })
  const price = (interval: string, amount: number) =>
    call(`/membership_plans/${plan}/prices`, { interval, amount: { amount, currency: 'EUR' } })
  const { prices = [] } = Object(await price('month', 1200)) as { prices?: { id: string }[] }
  await price('year', 12_000)
  await call(`/membership_plans/${plan}/activate`, {})
  const { membership } = Object(
    await (await fetch(`${issuer}/api/v1/account`, { headers: { authorization: `Bearer ${await tokenOf(learner)}` } })).json(),
  ) as { membership: { member_id: string | null } }
  if (membership.member_id !== null && prices[0])
    await call('/subscriptions', { member_id: membership.member_id, plan_id: plan, price_id: prices[0].id, collection: 'comped' })
  return await outline()
}

/** The pages on which a person learns. `signIn` signs the learner in. */
export const learningTour = (signIn: (page: Page, guide: TourGuide, email: string) => Promise<void>) => {
  const stop = (name: string, visit: (page: Page, lessons: readonly string[]) => Promise<unknown>) => ({
    name,
    async open(page: Page, guide: TourGuide) {
      const lessons = await learn(guide)
      await signIn(page, guide, learner)
      const { issuer } = guide.agent
      await visit(
        page,
        lessons.map((path) => issuer + path),
      )
    },
  })
  const at =
    (path: string) =>
    (page: Page, [lesson = '']: readonly string[]) =>
      page.goto(new URL(path, lesson).href)
  return [
    stop('site-course-enrolled', at(`/courses/${slug}`)),
    stop('learning', at('/account')),
    stop('learning-course', at(`/account/courses/${slug}`)),
    stop('learning-lesson', (page, [text = '']) => page.goto(text)),
    stop('learning-lesson-locked', (page, [, locked = '']) => page.goto(locked)),
    stop('learning-quiz', (page, [, , questions = '']) => page.goto(questions)),
    stop('learning-quiz-result', async (page, [, , questions = '']) => {
      await page.goto(questions)
      await page.getByLabel('Irdenware').check()
      await page.getByLabel('Wie heißt weißer Ton?').fill('Steingut')
      await page.locator('form[action$="/quiz"] button').click()
      await page.locator('#result').waitFor()
    }),
    stop('account-membership', async (page, lessons) => {
      await at('/account/membership')(page, lessons)
      for (const summary of await page.locator('.card summary').all()) await summary.click()
    }),
    stop('account-orders', at('/account/orders')),
    stop('account-events', async (page, lessons) => {
      await at('/account/events')(page, lessons)
      await page.locator('form[action$="/calendar/renew"] button').click()
      await page.locator('.copy').waitFor()
    }),
  ]
}
