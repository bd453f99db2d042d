import { z } from 'zod'
import { numbersRule } from './rules.ts'

const keptDays = (days: number, description: string) =>
  z
    .int()
    .min(1)
    .max(3650)
    .default(days)
    .meta({ description, examples: [days * 2] })

/** How long the audit trail is kept: `audit` of `server.yaml`. */
export const auditRetention = z
  .strictObject({
    days: keptDays(365, 'Time for which entries of the audit trail are kept.'),
    security_days: keptDays(
      730,
      'Time for which entries are kept that show who could access what: consents, grants, passwords, roles, keys and the work of operators. docs/audit.md lists them. At least `days`.',
    ),
    full_address_days: keptDays(
      30,
      'Time after which network addresses are shortened to their network: 203.0.113.0/24, 2001:db8:1::/48. The full address helps against an attack that is under way.',
    ),
  })
  .refine(...numbersRule(['security_days', 'days'], (security, other) => security >= other, 'must be at least days'))
  .prefault({})
  .meta({
    description: 'Retention of the audit trail. A job deletes expired entries and shortens addresses every hour.',
    examples: [{ days: 180, security_days: 365, full_address_days: 7 }],
  })
