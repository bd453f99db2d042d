/** An item that can be paid for. */
export interface CheckoutItem {
  type: 'course' | 'digital_product' | 'membership_plan' | 'event'
  /** Public id. */
  id: string
}

/** Returns the checkout URL of an item from the template in the school's file: `{type}`, `{id}` and `{code}` are replaced. */
export const checkoutAddress = (template: string, { type, id }: { type: string; id: string }, code = ''): string =>
  template
    .replaceAll('{type}', encodeURIComponent(type))
    .replaceAll('{id}', encodeURIComponent(id))
    .replaceAll('{code}', encodeURIComponent(code))
