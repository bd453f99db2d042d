import { z } from 'zod'
import type { StoredSummary } from '../domain/people/personSummary.ts'
import { reference } from '../framework/declare/fields.ts'
import { image, imageOf } from '../framework/declare/image.ts'
import type { Presentation } from '../framework/declare/presentation.ts'

/** A person as everybody may read them. Of who was erased nothing is left but that there was somebody. */
export const personSummary = (description: string) =>
  z
    .object({
      id: reference('mbr', 'Id of the member.').nullable().meta({ description: 'Id of the member.', example: null, idPrefix: 'mbr' }),
      display_name: z.string().meta({ description: 'What the community calls the person.', example: 'Wren Tidewell' }),
      avatar: image('Picture of the person.').nullable().meta({ description: 'Picture of the person.', example: null }),
    })
    .meta({ description, example: {} })

/** What `summaryOf` has read, as it is shown. */
export const summaryFrom = (person: StoredSummary | null, context: Presentation) =>
  person === null
    ? { id: null, display_name: 'Deleted member', avatar: null }
    : { id: person.id, display_name: person.display_name, avatar: imageOf(person.avatar, context) }
