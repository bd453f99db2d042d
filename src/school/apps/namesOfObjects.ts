import { fromPublicId } from '../../base/ids.ts'
import type { SchoolReader } from '../../database/connection/database.ts'

/** Returns the current names of people by their public ids, for readers who see everybody. Other ids, and people who are gone, are left out. */
export async function namesOfObjects(database: SchoolReader, publicIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const uuidsOf = (prefix: string): Map<string, string> =>
    new Map(
      publicIds.flatMap((id): [string, string][] => {
        const uuid = fromPublicId(prefix, id)
        return uuid === undefined ? [] : [[id, uuid]]
      }),
    )
  const people = new Map([...uuidsOf('std'), ...uuidsOf('mbr')])
  const enrollments = uuidsOf('enr')
  const staff = uuidsOf('stf')
  const [ofPeople, ofEnrollments, ofStaff] = await Promise.all([
    people.size === 0
      ? []
      : database
          .selectFrom('person')
          .select(['id', 'name'])
          .where('id', 'in', [...people.values()])
          .execute(),
    enrollments.size === 0
      ? []
      : database
          .selectFrom('enrollment')
          .innerJoin('person', 'person.id', 'enrollment.person_id')
          .select(['enrollment.id', 'person.name'])
          .where('enrollment.id', 'in', [...enrollments.values()])
          .execute(),
    staff.size === 0
      ? []
      : database
          .selectFrom('staff')
          .innerJoin('person', 'person.id', 'staff.person_id')
          .select(['staff.id', 'person.name'])
          .where('staff.id', 'in', [...staff.values()])
          .execute(),
  ])
  const names = new Map([...ofPeople, ...ofEnrollments, ...ofStaff].map(({ id, name }) => [id, name]))
  return new Map(
    [...people, ...enrollments, ...staff].flatMap(([publicId, uuid]): [string, string][] => {
      const name = names.get(uuid)
      return name === undefined ? [] : [[publicId, name]]
    }),
  )
}
