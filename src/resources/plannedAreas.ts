import { defineArea } from '../kit/area.ts'

// Areas whose scopes can be granted before their resources stand. A resource that arrives brings its own sentences:
// its line here goes, and it takes the area's place in the list of declarations.

export const orders = defineArea('orders', { read: 'See orders, payments and refunds' })
