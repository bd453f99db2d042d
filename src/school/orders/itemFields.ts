import { z } from 'zod'
import { itemTypes } from '../itemRef.ts'

/** Declares a reference to an item that the school sells or grants, by its type and id. */
export const itemRef = (description: string) =>
  z
    .object({
      type: z.enum(itemTypes).meta({ component: 'ItemType' }).meta({ description: 'Type of the item.', example: 'course' }),
      id: z
        .string()
        .regex(/^(crs|dgp|mpl|evt)_[0-7][0-9a-hjkmnp-tv-z]{25}$/, 'must be the id of a course, digital product, membership plan or event')
        .meta({ description: 'Id of the item.', example: 'crs_01jgwejj00e6srgkpqm2sqf05m' }),
    })
    .meta({ description, example: { type: 'course', id: 'crs_01jgwejj00e6srgkpqm2sqf05m' }, component: 'ItemReference' })

export const personRef = (description: string) =>
  z
    .object({
      student_id: z.string().nullable().meta({ description: 'Id as a student.', idPrefix: 'std', example: null }),
      member_id: z.string().nullable().meta({ description: 'Id as a member.', idPrefix: 'mbr', example: null }),
    })
    .nullable()
    .meta({ description, example: null })
