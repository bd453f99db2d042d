import { z } from 'zod'
import { image, imageOf, reference } from '../../engine/declare/fields.ts'
import type { Presentation } from '../../engine/declare/rowSerializer.ts'
import type { StoredSummary } from './personSummaries.ts'

/** The public summary of a person. An erased person has neither an id nor a name. */
export const personSummary = (description: string) =>
  z
    .object({
      id: reference('mbr', 'Id of the member.').nullable().meta({ description: 'Id of the member.', example: null, idPrefix: 'mbr' }),
      display_name: z.string().meta({ description: 'Name in the community.', example: 'Wren Tidewell' }),
      avatar: image('Picture of the person.').nullable().meta({ description: 'Picture of the person.', example: null }),
    })
    .meta({ description, example: {}, component: 'PersonSummary' })

export const summaryFrom = (person: StoredSummary | null, context: Presentation) =>
  person === null
    ? { id: null, display_name: 'Deleted member', avatar: null }
    : { id: person.id, display_name: person.display_name, avatar: imageOf(person.avatar, context) }
