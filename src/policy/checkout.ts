/** Something that can be paid for. */
export interface CheckoutItem {
  type: 'course' | 'digital_product' | 'membership_plan' | 'event'
  /** Public id. */
  id: string
}

/** The address at which an item is paid, from the template of the school's file: `{type}`, `{id}` and `{code}` are filled in. */
export const checkoutAddress = (template: string, { type, id }: { type: string; id: string }, code = ''): string =>
  template
    .replaceAll('{type}', encodeURIComponent(type))
    .replaceAll('{id}', encodeURIComponent(id))
    .replaceAll('{code}', encodeURIComponent(code))
