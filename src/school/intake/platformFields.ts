import { z } from 'zod'
import { isCountry } from '../../base/text/countries.ts'
import { line } from '../../engine/declare/fields.ts'
import { itemTypes } from '../itemRef.ts'
import { typedEmail } from '../students/studentFields.ts'

/** A person in a request. A person whom the school does not know is created. */
export const person = (description: string) =>
  z
    .object({
      email: typedEmail().meta({ description: 'E-mail address, which identifies the person in the school.', example: 'wren@example.org' }),
      name: line(120).optional().meta({ description: 'Name. Used if the school does not know the person yet.', example: 'Wren Tallow' }),
    })
    .meta({ description })

export const amount = (description: string, example: number) => z.int().min(0).max(99_999_999_999).meta({ description, example })

/** A course, a digital product, a seat of an event, or a membership plan with its price. */
export const orderedItem = z.object({
  type: z.enum(itemTypes).meta({ description: 'Type of the item.', example: 'course' }),
  id: z.string().min(1).max(60).meta({ description: 'Id of the item.', example: 'crs_01jgwejj00e6srgkpqm2sqf05m' }),
  price_id: z.string().min(1).max(60).optional().meta({
    description: 'Id of the price (prc_). Required for a membership plan, not allowed for other items.',
  }),
})

export const refundedItem = z.object({
  line: z
    .string()
    .min(1)
    .max(60)
    .meta({ description: 'Id of the line, from `items` of the order.', example: 'oit_01jgwejj00e6srgkpqm2sqf05m' }),
  amount: z
    .int()
    .min(1)
    .max(99_999_999_999)
    .optional()
    .meta({ description: 'Refunded amount in the smallest unit. Default: everything that is left of the line.', example: 500 }),
})

const optionalLine = (description: string, example: string) => line(200).optional().meta({ description, example })

/** The country that decides on the tax rate. An unknown code would silently get the default rate, so it is rejected. */
export const country = z.string().max(2).refine(isCountry, 'must be an ISO 3166-1 code such as DE').meta({
  description: 'Country of the buyer, which decides on the tax rate. Default: the country of the billing address, else the default rate.',
  example: 'DE',
})

export const billingAddress = z
  .object({
    name: optionalLine('Name.', 'Wren Tallow'),
    line1: optionalLine('Street and number.', '4 Kiln Lane'),
    line2: optionalLine('Second line of the address.', 'Rear building'),
    postal_code: optionalLine('Postal code.', '10115'),
    city: optionalLine('City.', 'Berlin'),
    region: optionalLine('Region or state.', 'Berlin'),
    country: z
      .string()
      .regex(/^[A-Z]{2}$/, 'must be an ISO 3166-1 code such as DE')
      .optional()
      .meta({ description: 'ISO 3166-1 code.', example: 'DE' }),
  })
  .meta({ description: 'Billing address.' })

export const attribution = z
  .object({
    source: optionalLine('Traffic source.', 'newsletter'),
    medium: optionalLine('Marketing medium.', 'email'),
    campaign: optionalLine('Campaign.', 'spring'),
    referrer_host: optionalLine('Host of the referring site.', 'example.org'),
  })
  .meta({ description: 'Marketing attribution.' })
