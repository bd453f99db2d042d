import type { Block } from '../domain/pages/pageBlock.ts'

export interface DemoPage {
  slug: string
  title: string
  kind: 'home' | 'landing' | 'about' | 'legal' | 'custom'
  status: 'draft' | 'published'
  blocks: readonly Block[]
}

const text = (content: string): Block => ({ type: 'text', props: { content, content_format: 'markdown' } })

/** The pages of the demo's site, the home page first. */
export const pages: readonly DemoPage[] = [
  {
    slug: 'home',
    title: 'Home',
    kind: 'home',
    status: 'published',
    blocks: [
      {
        type: 'hero',
        props: {
          heading: 'Make something that lasts longer than the evening',
          text: 'Clay, wood, dye and dough, in rooms with good light and people who answer questions.',
          image: null,
          action: { label: 'See the courses', url: '/courses' },
        },
      },
      { type: 'course_grid', props: { heading: 'On the benches now', course_ids: [], category: null, limit: 6 } },
      { type: 'event_list', props: { heading: 'Open doors', limit: 3 } },
      { type: 'lecturer_grid', props: { heading: 'Who shows you how', lecturer_ids: [], limit: 6 } },
      {
        type: 'testimonials',
        props: {
          heading: null,
          items: [
            {
              quote: 'My first bowl leaks. My second one holds soup. I call that a course.',
              name: 'Wren Applegarth',
              role: 'Clay From Scratch',
            },
          ],
        },
      },
    ],
  },
  {
    slug: 'about',
    title: 'About the workshop',
    kind: 'about',
    status: 'published',
    blocks: [
      text(
        'The building was a lantern factory until the last lamp left in a crate of straw. We kept the north windows and the long tables.\n\nEvery course is small enough that one teacher sees every pair of hands.',
      ),
      { type: 'divider', props: {} },
      { type: 'button', props: { label: 'Write to us', url: 'mailto:hello@example.com', style: 'secondary' } },
    ],
  },
  {
    slug: 'prices',
    title: 'Prices',
    kind: 'landing',
    status: 'published',
    blocks: [
      text('A course is paid once and stays open to you. A plan opens several for as long as it runs.'),
      { type: 'plan_table', props: { heading: 'Plans', plan_ids: [] } },
    ],
  },
  {
    slug: 'questions',
    title: 'Questions',
    kind: 'custom',
    status: 'published',
    blocks: [
      {
        type: 'faq',
        props: {
          heading: 'Before you ask',
          items: [
            { question: 'Do I need tools of my own?', answer: 'No. Each course lists what to buy **later**, once you know what you like.' },
            { question: 'Can I fire my pots with you?', answer: 'On open kiln evenings, yes. Bring them bone dry.' },
            { question: 'What if I fall behind?', answer: 'The lessons wait. Nobody counts your weeks.' },
          ],
        },
      },
    ],
  },
  {
    slug: 'legal/terms',
    title: 'Terms',
    kind: 'legal',
    status: 'published',
    blocks: [
      text('## What you may expect\n\nThis is a demonstration school. Nothing here can be bought, and nobody will send you a bill.'),
    ],
  },
  {
    slug: 'legal/privacy',
    title: 'Privacy',
    kind: 'legal',
    status: 'published',
    blocks: [
      text('## What we keep\n\nThe people of this school are invented. What you type into it stays in its database until you remove it.'),
    ],
  },
  {
    slug: 'legal/imprint',
    title: 'Imprint',
    kind: 'legal',
    status: 'published',
    blocks: [text('Lanternfield School of Making, The Old Lamp Works, Lanternfield. Represented by Hazel Lanternfield.')],
  },
  {
    slug: 'autumn-fair',
    title: 'Autumn fair',
    kind: 'landing',
    status: 'draft',
    blocks: [text('Stalls, a raku firing in the yard, and a prize for the crookedest spoon. Date still open.')],
  },
]
