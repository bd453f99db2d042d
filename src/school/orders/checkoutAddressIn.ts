import type { School } from '../../base/school.ts'
import { checkoutAddress } from '../../engine/checkout.ts'
import type { ExternalServices } from '../../engine/externalServices.ts'

/** Returns the function that finds the checkout URL of an item; undefined for a school whose file has no template. */
export const checkoutAddressIn =
  (templateOf: (school: School) => string | undefined): ExternalServices['checkoutAddress'] =>
  (school, item, code) => {
    const template = templateOf(school)
    return template && checkoutAddress(template, item, code)
  }
