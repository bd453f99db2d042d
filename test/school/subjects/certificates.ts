import { enrollments } from '../../../src/school/learning/enrollments.ts'
import type { Exceptions } from '../derived/exceptions.ts'

export const exceptions: Exceptions = {
  /** The certificate of a completion. */
  async create({ create, send, get }) {
    const enrollment = await create(enrollments)
    await send('completeEnrollment', enrollment)
    const { data } = await get(`certificates?enrollment_id=${enrollment}`)
    return String((data as { id: string }[])[0]?.id)
  },
  before: {
    /** The new certificate is valid. No operation shows one by its id. */
    revokeCertificate: async () => undefined,
    restoreCertificate: ({ send }, id) => send('revokeCertificate', id),
  },
}
