import { isOffered } from '../../database/statements/expressions.ts'
import { rowPath } from '../pages/rowPath.ts'
import { isPublished, isReadableByAll, mayReadPost } from '../posts/postAccess.ts'
import { type FindNews, newsFor, type Readers } from './news.ts'

/** Finds the e-mail about a published post. Every student and member who may read the post gets it, but not its author. */
export const postNews: FindNews = async (context, { groupId: postId }) => {
  const { writer, school, hasPages } = context
  const post = await writer
    .selectFrom('post')
    .select(['slug', 'title', 'author_lecturer_id'])
    .where('id', '=', postId)
    .where(isPublished)
    .where(isOffered(school.id, 'blog'))
    .executeTakeFirst()
  if (!post || !hasPages) return undefined
  const isAuthor = (person: Readers) =>
    person.exists(
      person.selectFrom('staff').whereRef('staff.person_id', '=', 'person.id').where('staff.lecturer_id', '=', post.author_lecturer_id),
    )
  const mayRead = (person: Readers) =>
    person.exists(
      person
        .selectFrom('post')
        .where('post.id', '=', postId)
        .where((row) => row.or([isReadableByAll(row), mayReadPost(row, { personId: person.ref('person.id') })])),
    )
  return newsFor(context, 'post_published', { title: post.title, link: school.issuer + rowPath('posts', post.slug) }, (person) =>
    person.and([isStudentOrMember(person), person.not(isAuthor(person)), mayRead(person)]),
  )
}

const isStudentOrMember = (person: Readers) =>
  person.or([
    person.and([person('person.is_student', '=', true), person('person.student_status', '=', 'active')]),
    person.and([person('person.is_member', '=', true), person('person.member_status', '=', 'active')]),
  ])
