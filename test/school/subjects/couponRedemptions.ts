import { newId, toPublicId } from '../../../src/base/ids.ts'
import { newCoupon, newPerson, newProduct } from '../../support/shop.ts'
import type { Exceptions } from '../derived/exceptions.ts'

export const exceptions: Exceptions = {
  bodies: {
    /** A coupon of 100 %, an item that it applies to, and a person. */
    async redeemCoupon({ database: { sql }, school }) {
      const code = `C${newId()}`.toUpperCase()
      await newCoupon(sql, school.id, { code })
      const item = { type: 'digital_product', id: toPublicId('dgp', await newProduct(sql, school.id)) }
      return { code, item, student_id: toPublicId('std', await newPerson(sql, school.id)) }
    },
  },
}
