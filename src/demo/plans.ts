/** A price of a plan, in cents. */
export interface DemoPrice {
  interval: 'month' | 'year' | 'one_time'
  amount: number
  trial_days: number
}

export interface DemoPlan {
  slug: string
  name: string
  description: string
  status: 'active' | 'archived'
  benefits: readonly string[]
  includes_all_courses: boolean
  includes_all_events: boolean
  badge: string | null
  max_members: number | null
  prices: readonly DemoPrice[]
  /** Slugs of what it includes one by one. */
  courses: readonly string[]
  products: readonly string[]
}

/** In the order in which they are offered. */
export const plans = [
  {
    slug: 'window-seat',
    name: 'Window Seat',
    description: 'Sit with us, read along, and come to the open evenings. It costs nothing and stays so.',
    status: 'active',
    benefits: ['Notes for members', 'A place in the directory', 'Open evenings first'],
    includes_all_courses: false,
    includes_all_events: false,
    badge: null,
    max_members: null,
    prices: [{ interval: 'one_time', amount: 0, trial_days: 0 }],
    courses: [],
    products: [],
  },
  {
    slug: 'workbench',
    name: 'Workbench',
    description: 'A bench of your own: five courses for as long as you stay, and the sheets that go with them.',
    status: 'active',
    benefits: ['Five courses', 'All sheets and templates', 'Two weeks to try'],
    includes_all_courses: false,
    includes_all_events: false,
    badge: 'Popular',
    max_members: null,
    prices: [
      { interval: 'month', amount: 1200, trial_days: 14 },
      { interval: 'year', amount: 12_000, trial_days: 14 },
    ],
    courses: ['sharp-hand-tool-basics', 'the-slow-loaf', 'drawing-weeds', 'mending-as-design', 'studio-business-basics'],
    products: ['tool-wall-drawings', 'binding-templates'],
  },
  {
    slug: 'whole-studio',
    name: 'Whole Studio',
    description: 'Every course, the chair among them, every evening, and somebody who looks at what you made.',
    status: 'active',
    benefits: ['Every course', 'Every event', 'Make One Chair', 'A look at your work once a month'],
    includes_all_courses: true,
    includes_all_events: true,
    badge: null,
    max_members: 60,
    prices: [
      { interval: 'month', amount: 2900, trial_days: 0 },
      { interval: 'year', amount: 29_000, trial_days: 0 },
    ],
    courses: [],
    products: ['tool-wall-drawings', 'binding-templates', 'glaze-recipe-cards', 'chair-plans'],
  },
  {
    slug: 'founders',
    name: 'Founders',
    description: 'For those who paid for the first kiln before there was a roof over it. Not offered any more.',
    status: 'archived',
    benefits: ['Every course', 'Your name beside the kiln'],
    includes_all_courses: true,
    includes_all_events: true,
    badge: null,
    max_members: 20,
    prices: [{ interval: 'year', amount: 9000, trial_days: 0 }],
    courses: [],
    products: ['glaze-recipe-cards'],
  },
] as const satisfies readonly DemoPlan[]

export type PlanSlug = (typeof plans)[number]['slug']

/** Every price with the place of its plan, in the order of the plans: its place here is its number. */
export const prices = plans.flatMap((plan, planNumber) =>
  plan.prices.map((price): DemoPrice & { planNumber: number; plan: PlanSlug } => ({ ...price, planNumber, plan: plan.slug })),
)

export function priceNumber(plan: PlanSlug, interval: DemoPrice['interval']): number {
  return prices.findIndex((price) => price.plan === plan && price.interval === interval)
}
