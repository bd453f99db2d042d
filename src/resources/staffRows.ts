import { z } from 'zod'

// The fields of rows and reports that the pages of owners and admins show.

const money = z.object({ amount: z.number(), currency: z.string() })
const status = z.enum(['invited', 'active', 'suspended', 'blocked', 'left', 'erased'])

export const studentRow = z.object({ name: z.string(), email: z.string().nullable(), status, created_at: z.string().nullable() })

export const memberRow = z.object({ display_name: z.string(), email: z.string().nullable(), status, joined_at: z.string().nullable() })

const figures = { revenue_net: money, orders: z.number(), new_students: z.number(), enrollments: z.number() }

/** The overview of a school by day. */
export const overviewReport = z.object({
  from: z.string(),
  to: z.string(),
  totals: z.object({ ...figures, active_students: z.number(), live_subscriptions: z.number() }),
  series: z.array(z.object({ date: z.string(), ...figures })),
})

export type OverviewReport = z.infer<typeof overviewReport>
