import { newId } from '../../../src/base/ids.ts'
import type { Exceptions } from '../derived/exceptions.ts'

export const exceptions: Exceptions = {
  bodies: {
    // Keys are unique in the school, also inside a list.
    importCurriculum: async () => ({ sections: [{ external_id: newId(), title: 'First', lessons: [] }] }),
    /** An order names every section: two new ones, exchanged, and then the others. */
    async setCurriculumOrder({ send, get }, course) {
      const [first, second] = [await send('createSection', course), await send('createSection', course)]
      const { sections } = await get(`courses/${course}/curriculum`)
      const others = (sections as { id: unknown }[]).filter(({ id }) => id !== first.id && id !== second.id)
      return { sections: [second, first, ...others].map(({ id }) => ({ id, lesson_ids: [] })) }
    },
  },
}
