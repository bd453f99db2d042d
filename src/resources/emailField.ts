import { z } from 'zod'
import { normaliseEmail } from '../domain/accounts/emailAddress.ts'

/** An e-mail address that a caller types, normalised as accounts store it. */
export const typedEmail = () => z.string().overwrite(normalised).max(254).check(z.email())

/** The address as it is stored, for a look-up. Text that is no address is kept, and finds nothing. */
export const normalised = (typed: string): string => normaliseEmail(typed) ?? typed
