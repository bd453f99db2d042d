import type { ExternalServices } from '../../engine/externalServices.ts'
import { checkoutAddressIn } from '../../school/orders/checkoutAddressIn.ts'
import type { Session } from './session.ts'

export const checkoutAddresses = (session: Session): ExternalServices['checkoutAddress'] =>
  checkoutAddressIn(({ slug }) => session.settings().config.schools.find((school) => school.slug === slug)?.checkout_url)
