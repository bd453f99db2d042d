import { z } from 'zod'
import { itemTypes } from '../domain/itemRef.ts'

/** Something that the school sells or gives, by its type and its id. */
export const itemRef = (description: string) =>
  z
    .object({
      type: z.enum(itemTypes).meta({ description: 'What it is.', example: 'course' }),
      id: z
        .string()
        .regex(/^(crs|dgp|mpl|evt)_[0-7][0-9a-hjkmnp-tv-z]{25}$/, 'must be the id of a course, digital product, membership plan or event')
        .meta({ description: 'Its id.', example: 'crs_01jgwejj00e6srgkpqm2sqf05m' }),
    })
    .meta({ description, example: { type: 'course', id: 'crs_01jgwejj00e6srgkpqm2sqf05m' } })

/** A person by the ids of both of their facets. */
export const personRef = (description: string) =>
  z
    .object({
      student_id: z.string().nullable().meta({ description: 'Id as a student.', idPrefix: 'std', example: null }),
      member_id: z.string().nullable().meta({ description: 'Id as a member.', idPrefix: 'mbr', example: null }),
    })
    .nullable()
    .meta({ description, example: null })
