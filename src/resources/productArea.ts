import { defineArea } from '../framework/declare/area.ts'

/** Products and who owns them stand under the same scopes. */
export const productArea = defineArea('digital_products', {
  read: 'See digital products and download what is yours',
  write: { sentence: 'Add and change digital products', from: 'admin' },
})
