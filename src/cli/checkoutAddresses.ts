import { checkoutAddressIn } from '../policy/checkoutAddressIn.ts'
import type { ExternalServices } from '../policy/externalServices.ts'
import type { Session } from './session.ts'

/** Returns the function that finds checkout URLs by the configuration of the session. */
export const checkoutAddresses = (session: Session): ExternalServices['checkoutAddress'] =>
  checkoutAddressIn(({ slug }) => session.settings().config.schools.find((school) => school.slug === slug)?.checkout_url)
