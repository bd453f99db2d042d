/** A form of the demo school. */
export interface DemoForm {
  slug: string
  title: string
  status: 'draft' | 'published' | 'closed'
  description: string
  submit_label: string
  success_message: string
  madeDaysAgo: number
  closedDaysAgo: number | null
  fields: readonly DemoField[]
  submissions: number
}

export interface DemoField {
  key: string
  label: string
  kind: 'text' | 'long_text' | 'email' | 'single_choice' | 'multiple_choice' | 'consent' | 'number'
  required: boolean
  options?: readonly string[]
  help?: string
  max_length?: number
}

const name: DemoField = { key: 'name', label: 'Your name', kind: 'text', required: true, max_length: 120 }
const email: DemoField = { key: 'email', label: 'Where we can write to you', kind: 'email', required: true }
const consent: DemoField = { key: 'consent', label: 'You may keep this until it is answered', kind: 'consent', required: true }

/** The oldest first. */
export const forms: readonly DemoForm[] = [
  {
    slug: 'ask-the-school',
    title: 'Ask the school',
    status: 'published',
    description: 'Anything that the pages do not say. Somebody reads this every morning, with tea.',
    submit_label: 'Send',
    success_message: 'It is on the table. You hear from us within three days.',
    madeDaysAgo: 380,
    closedDaysAgo: null,
    fields: [
      name,
      email,
      {
        key: 'about',
        label: 'What is it about?',
        kind: 'single_choice',
        required: true,
        options: ['A course', 'A visit', 'A bench', 'Something else'],
      },
      { key: 'question', label: 'Your question', kind: 'long_text', required: true, max_length: 2000 },
      consent,
    ],
    submissions: 41,
  },
  {
    slug: 'scholarship',
    title: 'A place that is paid for',
    status: 'published',
    description: 'Two places in each course are paid by those who can. Tell us in your own words why one should be yours.',
    submit_label: 'Ask for a place',
    success_message: 'Thank you. We decide at the end of the month, and we answer everybody.',
    madeDaysAgo: 300,
    closedDaysAgo: null,
    fields: [
      name,
      email,
      {
        key: 'courses',
        label: 'Which courses?',
        kind: 'multiple_choice',
        required: true,
        options: ['Clay From Scratch', 'Indigo and Madder', 'Sharp: Hand-Tool Basics', 'The Slow Loaf'],
      },
      { key: 'why', label: 'Why you?', kind: 'long_text', required: true, max_length: 3000 },
      { key: 'evenings', label: 'How many evenings a week?', kind: 'number', required: false },
      consent,
    ],
    submissions: 24,
  },
  {
    slug: 'autumn-fair-table',
    title: 'A place on our table at the autumn fair',
    status: 'closed',
    description: 'If you have made something here, it can come along. We take no share; you carry.',
    submit_label: 'Bring it along',
    success_message: 'Noted. Bring it on the Thursday before, with a price on it.',
    madeDaysAgo: 140,
    closedDaysAgo: 92,
    fields: [
      name,
      email,
      { key: 'what', label: 'What do you bring?', kind: 'text', required: true, max_length: 200 },
      { key: 'pieces', label: 'How many pieces?', kind: 'number', required: true, help: 'Up to twenty.' },
    ],
    submissions: 21,
  },
  {
    slug: 'after-the-course',
    title: 'After the course',
    status: 'draft',
    description: 'What stayed, and what should go.',
    submit_label: 'Tell us',
    success_message: 'Thank you. The blunt ones help most.',
    madeDaysAgo: 15,
    closedDaysAgo: null,
    fields: [{ key: 'kept', label: 'What will you still do in a year?', kind: 'long_text', required: false, max_length: 1000 }],
    submissions: 0,
  },
]

export const questions: readonly string[] = [
  'Can I begin in the middle of a month?',
  'I have never held a chisel. Is that too little?',
  'Do you have a parking place for a cargo bicycle?',
  'Is there a bench free on Saturdays?',
  'May my son, who is fourteen, come along?',
  'Could we visit as a group of nine from the library?',
  'How long do you keep unglazed pots?',
  'Does the dyeing course also work for somebody with an allergy to wool?',
  'I would like to give a course as a present. Is there a card?',
  'Which of the rooms can be reached without steps?',
]

export const whys: readonly string[] = [
  'I mend for my whole house and would like to do it well.',
  'I am between two jobs and have more time than money, for once.',
  'My hands are better than my papers. I would like to show that.',
  'I bake for the night shelter, and the bread could be better.',
  'I have read everything in the library about indigo. Now I would like to touch it.',
  'My physiotherapist says clay. I say gladly.',
]

export const brought: readonly string[] = [
  'Mugs',
  'Notebooks',
  'Spoons',
  'Indigo scarves',
  'Small bowls',
  'Candles',
  'Darned socks, new ones',
]
