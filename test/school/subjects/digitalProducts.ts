import type { Exceptions } from '../derived/exceptions.ts'

export const exceptions: Exceptions = {
  before: {
    async orderProductFiles({ send }, product) {
      await send('addProductFile', product)
      await send('addProductFile', product)
    },
  },
  bodies: {
    // Without a price it can be published if it is free.
    createDigitalProduct: async () => ({ title: 'Kiln Log', kind: 'template', access: 'free' }),
    async orderProductFiles({ get }, product) {
      const { files } = await get(`digital_products/${product}`)
      return { file_ids: (files as { id: string }[]).map(({ id }) => id).toReversed() }
    },
  },
}
