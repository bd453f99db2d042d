import { accountPaths } from '../../../base/accountPaths.ts'
import { plainText } from '../../plainText.ts'
import { type PeopleLists, peopleLists, peopleSections } from './peopleSections.ts'
import { schoolPage } from './schoolAdmin.ts'

export const schoolPeoplePage = schoolPage<{ words: string; lists: PeopleLists }>({
  path: accountPaths.schoolPeople,
  async read(request) {
    const { q } = request.ctx.query
    const words = typeof q === 'string' ? plainText(q, 100).trim() : ''
    return { words, lists: await peopleLists(request, words) }
  },
  build: ({ texts, schoolName }, { words, lists }) => ({
    title: 'school.people',
    introduction: texts.parts('school.people_introduction', { school: schoolName }),
    sections: peopleSections(texts, words, lists),
  }),
})
