import type { Page } from 'playwright-core'
import { allScopes, createAgent, personCalled } from '../support/agent.ts'
import type { TourGuide } from './tour.ts'

const owner = 'owner@example.com'
const learner = 'learner001@example.org'
// In German, because the tour looks for untranslated texts of the service on German pages.
const text =
  '# Ton\n\nKneten, zentrieren, [drehen](https://example.com/), Donaudampfschifffahrtsgesellschaftskapitänsmützenständer.\n\n## Glasur\n\n> Ein Zitat\n\n- eins\n- zwei\n\n    Schalen Schalen Schalen Schalen Schalen Schalen Schalen Schalen Schalen Schalen Schalen\n'

/** Publishes one row of each kind at the school of the tour, once. */
export async function publish({ agent: { issuer } }: TourGuide): Promise<void> {
  if ((await fetch(`${issuer}/courses/clay`, { headers: { accept: 'text/html' } })).status === 200) return
  const app = await createAgent(issuer)
  const { access_token: token } = (await app.tokens(personCalled(owner), { scope: allScopes }, { scopes: 'all' })).body
  const call = async (path: string, body: object, method = 'POST', headers: Record<string, string> = {}): Promise<string> => {
    const response = await fetch(`${issuer}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
    const { id }: { id?: string } = Object(await response.json())
    return String(id)
  }
  const lecturer = await call('/lecturers', {
    ...{ display_name: 'Marlo Quillfeather', slug: 'marlo', headline: 'Keramik', bio: text, expertise: ['Glasuren'] },
    links: [{ label: 'Mein Ofenbuch', url: 'https://marlo.example/kiln' }],
  })
  const course = await call('/courses', {
    ...{ title: 'Ton von Anfang an', slug: 'clay', subtitle: 'Zehn Schalen', description: text, tags: ['Ton', 'Scheibe'] },
    ...{ lecturer_ids: [lecturer], access: 'paid', price: { amount: 8900, currency: 'EUR' }, enrollment_open: false },
  })
  const section = await call(`/courses/${course}/sections`, { title: 'Schalen', summary: 'Anfang.' })
  const lesson = await call(`/sections/${section}/lessons`, { title: 'Kneten', kind: 'video', is_preview: true, duration_seconds: 4200 })
  await call(`/lessons/${lesson}/publish`, {})
  await call(`/courses/${course}/publish`, {})
  const start = new Date(Date.now() + 86_400_000)
  const event = await call('/events', {
    ...{ title: 'Offener Ofen', slug: 'kiln', kind: 'hybrid', description: text, lecturer_ids: [lecturer], capacity: 20 },
    ...{ location: { name: 'Ofenhaus', address: 'Kai 4, Laternenhafen' } },
    ...{ starts_at: start.toISOString(), ends_at: new Date(start.getTime() + 7_200_000).toISOString() },
  })
  await call(`/events/${event}/publish`, {})
  await call(`/events/${event}/cancel`, { reason: 'Der Ofen ist kalt.' })
  for (const [slug, visibility] of [
    ['firing', 'public'],
    ['members-only', 'members'],
  ]) {
    const post = await call('/posts', {
      title: 'Nach dem ersten Brand',
      slug,
      visibility,
      excerpt: 'Drei Schalen sind gesprungen.',
      content: text,
    })
    await call(`/posts/${post}/publish`, {})
  }
  const plan = await call('/membership_plans', {
    name: 'Werkbank',
    slug: 'bench',
    badge: 'Beliebt',
    benefits: ['Alle Kurse'],
    description: text,
  })
  await call(`/membership_plans/${plan}/prices`, { interval: 'month', amount: { amount: 1200, currency: 'EUR' } })
  await call(`/membership_plans/${plan}/activate`, {})
  const page = await call('/pages', {
    ...{ title: 'Werkstatt', slug: 'about/us', kind: 'about', show_in_navigation: true },
    blocks: [
      { type: 'hero', props: { heading: 'Etwas herstellen', text: 'Ton und Holz.', action: { label: 'Kurse', url: '/courses' } } },
      { type: 'course_grid', props: { heading: 'Kurse' } },
      { type: 'event_list', props: { heading: 'Termine' } },
      {
        type: 'testimonials',
        props: { heading: 'Stimmen', items: [{ quote: 'Die Suppe bleibt drin.', name: 'Wren', role: 'Schülerin' }] },
      },
      { type: 'faq', props: { heading: 'Fragen', items: [{ question: 'Wird man schmutzig?', answer: 'Ja.' }] } },
      { type: 'text', props: { content: text } },
    ],
  })
  await call(`/pages/${page}/publish`, {})
  const menu = [
    { label: 'Kurse', target: { type: 'course_list' } },
    { label: 'Schule', target: { type: 'page', page_id: page }, children: [{ label: 'Beiträge', target: { type: 'post_list' } }] },
  ]
  const appearance = {
    announcement: { text: 'Der Ofen ist am Freitag offen.', url: 'https://example.com/' },
    navigation: { header: menu, footer: [] },
  }
  await call('/appearance', appearance, 'PATCH', { 'if-match': '*' })
}

const at = (path: string) => async (page: Page, guide: TourGuide) => {
  await publish(guide)
  await page.goto(guide.agent.issuer + path)
}

type SignIn = (page: Page, guide: TourGuide, email: string) => Promise<void>

/** The public pages of the school in all their states. `signIn` signs a person in. */
export const siteTour = (signIn: SignIn) => [
  { name: 'site-home', open: at('/') },
  { name: 'site-search', open: at('/search?q=Ton') },
  { name: 'site-search-none', open: at('/search?q=Porzellanofen') },
  { name: 'site-missing', open: at('/nothing/here') },
  { name: 'site-courses', open: at('/courses') },
  { name: 'site-courses-narrowed', open: at('/courses?q=Ton') },
  { name: 'site-courses-none', open: at('/courses?q=Porzellanofen') },
  { name: 'site-course', open: at('/courses/clay') },
  {
    name: 'site-lesson',
    async open(page: Page, guide: TourGuide) {
      await at('/courses/clay')(page, guide)
      await page.locator('a[href*="/lessons/"]').click()
      await page.waitForURL('**/lessons/*')
    },
  },
  {
    name: 'site-course-signed-in',
    async open(page: Page, guide: TourGuide) {
      await signIn(page, guide, learner)
      await at('/courses/clay')(page, guide)
    },
  },
  { name: 'site-event', open: at('/events/kiln') },
  { name: 'site-lecturer', open: at('/lecturers/marlo') },
  { name: 'site-posts', open: at('/posts') },
  { name: 'site-post', open: at('/posts/firing') },
  {
    name: 'site-post-comments',
    async open(page: Page, guide: TourGuide) {
      await signIn(page, guide, learner)
      await at('/posts/firing')(page, guide)
      for (const comment of ['Welcher *Ton* war das?', 'ما نوع هذا الطين؟']) {
        await page.locator('#comment').fill(comment)
        await page.locator('form:has(#comment) button:not([name])').click()
        await page.waitForURL('**/posts/firing#cmt_*')
      }
      for (const details of await page.locator('.comments details > summary').all()) await details.click()
    },
  },
  {
    name: 'comment-wrong',
    async open(page: Page, guide: TourGuide) {
      await signIn(page, guide, learner)
      await at('/posts/firing')(page, guide)
      // Browsers check the field themselves: this is the response to those that do not.
      await page.locator('form:has(#comment)').evaluate((form) => form.setAttribute('novalidate', ''))
      await page.locator('form:has(#comment) button:not([name])').click()
      await page.locator('#errors').waitFor()
    },
  },
  { name: 'site-post-locked', open: at('/posts/members-only') },
  { name: 'site-plan', open: at('/plans/bench') },
  {
    name: 'site-page',
    async open(page: Page, guide: TourGuide) {
      await at('/pages/about/us')(page, guide)
      for (const details of await page.locator('details > summary').all()) await details.click()
    },
  },
  { name: 'site-none', open: at('/courses/nothing') },
]
