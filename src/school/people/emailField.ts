import { z } from 'zod'
import { emailForm, normaliseEmail } from '../../base/text/emailAddress.ts'

/** Declares an e-mail address: what the sign-up accepts is accepted everywhere. */
export const emailAddress = () => z.email({ pattern: emailForm })

/** Declares an e-mail address in a request, normalised in the same way as the stored address of an account. */
export const typedEmail = () => z.string().overwrite(normalised).max(254).check(emailAddress())

/** Returns the address in its stored form, for a look-up. Other text is returned unchanged and matches no account. */
export const normalised = (typed: string): string => normaliseEmail(typed) ?? typed
