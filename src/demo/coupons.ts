/** A coupon of the demo school. Days count back from now: a negative one is still to come. */
export interface DemoCoupon {
  code: string
  name: string
  discount: { type: 'percent'; bps: number } | { type: 'amount'; amount: number }
  duration: 'once' | 'repeating' | 'forever'
  duration_months: number | null
  /** What it is good for, by slug. Empty: everything. */
  courses: readonly string[]
  plans: readonly string[]
  first_purchase_only: boolean
  max_redemptions: number | null
  madeDaysAgo: number
  startedDaysAgo: number | null
  endedDaysAgo: number | null
  pausedDaysAgo: number | null
  archivedDaysAgo: number | null
  note: string | null
}

const percent = (bps: number): DemoCoupon['discount'] => ({ type: 'percent', bps })
const plain = {
  duration: 'once',
  duration_months: null,
  courses: [],
  plans: [],
  first_purchase_only: false,
  max_redemptions: null,
  startedDaysAgo: null,
  endedDaysAgo: null,
  pausedDaysAgo: null,
  archivedDaysAgo: null,
  note: null,
} as const

/** The oldest first. */
export const coupons: readonly DemoCoupon[] = [
  { ...plain, code: 'WELCOME10', name: 'Ten percent to begin with', discount: percent(1000), madeDaysAgo: 370, first_purchase_only: true },
  {
    ...plain,
    code: 'FREECLAY',
    name: 'Clay From Scratch as a gift',
    discount: percent(10_000),
    courses: ['clay-from-scratch'],
    max_redemptions: 40,
    madeDaysAgo: 362,
    note: 'For the neighbours who carried the kiln.',
  },
  {
    ...plain,
    code: 'EXPIRED5',
    name: 'Five euros off in spring',
    discount: { type: 'amount', amount: 500 },
    madeDaysAgo: 330,
    startedDaysAgo: 328,
    endedDaysAgo: 200,
  },
  {
    ...plain,
    code: 'FRIENDS15',
    name: 'Friends of the workshop',
    discount: percent(1500),
    duration: 'forever',
    plans: ['workbench', 'whole-studio'],
    madeDaysAgo: 300,
  },
  {
    ...plain,
    code: 'KILN25',
    name: 'A quarter off for the kiln room',
    discount: percent(2500),
    courses: ['clay-from-scratch', 'glaze-chemistry-without-fear'],
    madeDaysAgo: 240,
    endedDaysAgo: -90,
  },
  {
    ...plain,
    code: 'PAUSED20',
    name: 'Twenty percent, paused',
    discount: percent(2000),
    madeDaysAgo: 180,
    pausedDaysAgo: 75,
    note: 'Paused while the newsletter is rewritten.',
  },
  {
    ...plain,
    code: 'BENCH3',
    name: 'Three cheaper months at the workbench',
    discount: percent(2500),
    duration: 'repeating',
    duration_months: 3,
    plans: ['workbench'],
    madeDaysAgo: 120,
  },
  { ...plain, code: 'ONEONLY', name: 'Half, once', discount: percent(5000), max_redemptions: 1, madeDaysAgo: 100 },
  {
    ...plain,
    code: 'WINTER15',
    name: 'When it gets dark',
    discount: percent(1500),
    madeDaysAgo: 50,
    startedDaysAgo: -30,
    endedDaysAgo: -75,
  },
]

/** Codes for one use each, made in one go for the open evening. Their letters and digits cannot be mixed up. */
export const batch = {
  count: 25,
  name: 'Open Kiln Evening',
  discount: { type: 'percent', bps: 2000 },
  madeDaysAgo: 45,
  endedDaysAgo: -60,
} as const

const emailTemplates = 'ABCDEFGHJKMNPQRSTVWXYZ23456789'

export function batchCode(index: number): string {
  let rest = (index + 11) * 7_919_993
  let text = ''
  for (let place = 0; place < 6; place += 1) {
    text += emailTemplates[rest % emailTemplates.length]
    rest = Math.floor(rest / emailTemplates.length) + index * 31 + place
  }
  return `KILN-${text}`
}
