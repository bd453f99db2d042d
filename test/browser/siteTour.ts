import type { Page } from 'playwright-core'
import { allScopes, createAgent, personCalled } from '../support/agent.ts'
import type { TourGuide } from './tour.ts'

const owner = 'owner@example.com'
const text =
  '# A heading\n\nWedging, centring, [throwing](https://example.com/), and a-word-that-is-much-longer-than-a-narrow-screen-is-wide.\n\n## Another\n\n> A quote\n\n- one\n- two\n\n    code that is wider than a narrow screen, as code often is, and cannot be broken anywhere\n'

/** Publishes one row of each kind at the school of the tour, once. */
async function publish({ agent: { issuer } }: TourGuide): Promise<void> {
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
    ...{ display_name: 'Marlo Quillfeather', slug: 'marlo', headline: 'Ceramics', bio: text, expertise: ['glazes'] },
    links: [{ label: 'My kiln log', url: 'https://marlo.example/kiln' }],
  })
  const course = await call('/courses', {
    ...{ title: 'Clay From Scratch', slug: 'clay', subtitle: 'Your first ten pots', description: text, tags: ['clay', 'wheel'] },
    ...{ lecturer_ids: [lecturer], access: 'paid', price: { amount: 8900, currency: 'EUR' }, enrollment_open: false },
  })
  const section = await call(`/courses/${course}/sections`, { title: 'First pots', summary: 'Five lessons.' })
  const lesson = await call(`/sections/${section}/lessons`, { title: 'Wedging', kind: 'video', is_preview: true, duration_seconds: 4200 })
  await call(`/lessons/${lesson}/publish`, {})
  await call(`/courses/${course}/publish`, {})
  const start = new Date(Date.now() + 86_400_000)
  const event = await call('/events', {
    ...{ title: 'Open Kiln Evening', slug: 'kiln', kind: 'hybrid', description: text, lecturer_ids: [lecturer], capacity: 20 },
    ...{ location: { name: 'Kiln house', address: 'Quay 4, Port Lantern' } },
    ...{ starts_at: start.toISOString(), ends_at: new Date(start.getTime() + 7_200_000).toISOString() },
  })
  await call(`/events/${event}/publish`, {})
  await call(`/events/${event}/cancel`, { reason: 'The kiln is cold.' })
  for (const [slug, visibility] of [
    ['firing', 'public'],
    ['members-only', 'members'],
  ]) {
    const post = await call('/posts', {
      title: 'What the first firing taught us',
      slug,
      visibility,
      excerpt: 'Three bowls cracked.',
      content: text,
    })
    await call(`/posts/${post}/publish`, {})
  }
  const plan = await call('/membership_plans', {
    name: 'Workbench',
    slug: 'bench',
    badge: 'Popular',
    benefits: ['All courses'],
    description: text,
  })
  await call(`/membership_plans/${plan}/prices`, { interval: 'month', amount: { amount: 1200, currency: 'EUR' } })
  await call(`/membership_plans/${plan}/activate`, {})
  const page = await call('/pages', {
    ...{ title: 'About', slug: 'about/us', kind: 'about', show_in_navigation: true },
    blocks: [
      { type: 'hero', props: { heading: 'Make something', text: 'Clay and wood.', action: { label: 'Courses', url: '/courses' } } },
      { type: 'course_grid', props: { heading: 'Courses' } },
      { type: 'event_list', props: { heading: 'Events' } },
      { type: 'testimonials', props: { heading: 'Voices', items: [{ quote: 'It holds soup.', name: 'Wren', role: 'Learner' }] } },
      { type: 'faq', props: { heading: 'Questions', items: [{ question: 'Is it messy?', answer: 'Yes.' }] } },
      { type: 'text', props: { content: text } },
    ],
  })
  await call(`/pages/${page}/publish`, {})
  const menu = [
    { label: 'Courses', target: { type: 'course_list' } },
    { label: 'School', target: { type: 'page', page_id: page }, children: [{ label: 'Posts', target: { type: 'post_list' } }] },
  ]
  const appearance = {
    announcement: { text: 'The kiln is open on Friday.', url: 'https://example.com/' },
    navigation: { header: menu, footer: [] },
  }
  await call('/appearance', appearance, 'PATCH', { 'if-match': '*' })
}

const at = (path: string) => async (page: Page, guide: TourGuide) => {
  await publish(guide)
  await page.goto(guide.agent.issuer + path)
}

/** The public pages of the school in all their states. */
export const siteTour = [
  { name: 'site-courses', open: at('/courses') },
  { name: 'site-course', open: at('/courses/clay') },
  { name: 'site-event', open: at('/events/kiln') },
  { name: 'site-lecturer', open: at('/lecturers/marlo') },
  { name: 'site-posts', open: at('/posts') },
  { name: 'site-post', open: at('/posts/firing') },
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
