import { z } from 'zod'

/** A time as a client may send it: any zone. Every database holds these years, and no client needs others. */
export const timeValue = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2026-03-01T09:30:00Z' })
  .refine((text) => /^(19|2\d)\d\d/.test(text), 'must lie between the years 1900 and 2999')
