import type { Ledger } from './ledger.ts'

/** Changes of the model that a run must report: what it would find if the service had the error. */
export const plants: Readonly<Record<string, (ledger: Ledger) => void>> = {
  /** An acknowledged write that did not happen. */
  write: ({ acknowledge }) =>
    acknowledge({
      ...{ table: 'course', id: 'crs_01jgwejj00e6srgkpqm2sqf05m', values: ['soak000000'], member: 'title', role: 'owner' },
      path: '/api/v1/courses/crs_01jgwejj00e6srgkpqm2sqf05m',
    }),
  /** An acknowledged revocation that did not happen. */
  revocation({ chains }) {
    const chain = chains.find(({ life }) => life === 'live')
    if (chain) Object.assign(chain, { life: 'dead', ended: 'a planted revocation' })
  },
  /** A paid order without an invoice. */
  invoice: ({ invoices }) => void invoices.set('2000-000001', 'INV-2000-000001'),
}
