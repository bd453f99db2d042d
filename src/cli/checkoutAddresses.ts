import { checkoutAddressIn } from '../policy/checkoutAddressIn.ts'
import type { ExternalServices } from '../policy/externalServices.ts'
import type { Session } from './session.ts'

export const checkoutAddresses = (session: Session): ExternalServices['checkoutAddress'] =>
  checkoutAddressIn(({ slug }) => session.settings().config.schools.find((school) => school.slug === slug)?.checkout_url)
