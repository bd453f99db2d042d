import { defineArea } from '../framework/declare/area.ts'

/** The scopes of digital products and their grants. */
export const productArea = defineArea('digital_products', {
  read: 'See digital products and download what is yours',
  write: { sentence: 'Add and change digital products', from: 'admin' },
})
