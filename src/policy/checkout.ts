import type { ExternalServices } from './externalServices.ts'
import type { School } from './school.ts'

/** An item that can be paid for. */
export interface CheckoutItem {
  type: 'course' | 'digital_product' | 'membership_plan' | 'event'
  /** Public id. */
  id: string
}

/** Returns the function that finds the checkout URL of an item; undefined for a school whose file has no template. */
export const checkoutAddressIn =
  (templateOf: (school: School) => string | undefined): ExternalServices['checkoutAddress'] =>
  (school, item, code) => {
    const template = templateOf(school)
    return template && checkoutAddress(template, item, code)
  }

/** Returns the checkout URL of an item from the template in the school's file: `{type}`, `{id}` and `{code}` are replaced. */
export const checkoutAddress = (template: string, { type, id }: { type: string; id: string }, code = ''): string =>
  template
    .replaceAll('{type}', encodeURIComponent(type))
    .replaceAll('{id}', encodeURIComponent(id))
    .replaceAll('{code}', encodeURIComponent(code))
