import type { SchoolWriter } from '../../database/connection/database.ts'
import { announce } from '../notifications/announce.ts'
import type { InSchool } from '../schoolHandles.ts'

interface Published extends InSchool {
  id: string
  parentId: string | null
  subject: { type: string; id: string }
}

/** Records a published comment, for the author of the comment that it replies to, or of the post that it is on. */
export async function announceComment(writer: SchoolWriter, { now, id, parentId, subject }: Published): Promise<void> {
  const news = { schoolId: writer.schoolId, subjectIds: [id], at: now }
  if (parentId !== null) await announce(writer, { ...news, kind: 'reply', groupId: parentId })
  else if (subject.type === 'post') await announce(writer, { ...news, kind: 'comment', groupId: subject.id })
}
