import { z } from 'zod'

/** Schema of a time in a request, in any time zone. Every database can store these years. */
export const timeValue = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2026-03-01T09:30:00Z' })
  .refine((text) => /^(19|2\d)\d\d/.test(text), 'must be between the years 1900 and 2999')
