import { z } from 'zod'
import { formerPath } from '../base/text/formerPath.ts'
import type { SchoolWriter } from '../database/connection/database.ts'
import { keepFormerPath } from '../database/tables/formerSlugs.ts'

/** The input of a row that moved in from another site. */
export const formerPaths = () =>
  z
    .array(z.string().refine((path) => formerPath(path) !== undefined, 'must be a path such as /2019/05/first-firing, without a query'))
    .max(20)
    .meta({
      description: 'Only for staff: its paths on another site, which lead to it here.',
      example: ['/2019/05/first-firing'],
      createOnly: true,
    })

export async function saveFormerPaths(
  writer: SchoolWriter,
  row: { type: string; id: string },
  paths: readonly string[] = [],
): Promise<void> {
  for (const path of new Set(paths.flatMap((one) => formerPath(one) ?? [])))
    await keepFormerPath(writer, { schoolId: writer.schoolId, type: row.type, slug: path }, row.id)
}
