import { type Handle, rawSql } from './rawSql.ts'

/** Counts anew what every school, or this one, has. No version counts it: an editor's ETag stays valid. */
export async function countSchools(sql: Handle, schoolId?: string): Promise<number> {
  const rows = await rawSql(sql).query(
    `UPDATE school SET counts = counted.counts
       FROM (SELECT id,
                    jsonb_build_object(
                      'courses', (SELECT count(*) FROM course c
                                   WHERE c.school_id = s.id AND c.status = 'published' AND c.visibility = 'public'),
                      'lecturers', (SELECT count(*) FROM lecturer l WHERE l.school_id = s.id AND l.status = 'active'),
                      'students', (SELECT count(*) FROM person p WHERE p.school_id = s.id AND p.is_student AND p.erased_at IS NULL),
                      'members', (SELECT count(*) FROM person p WHERE p.school_id = s.id AND p.is_member
                                     AND p.erased_at IS NULL AND p.member_status <> 'left')) AS counts
               FROM school s
              WHERE $1::uuid IS NULL OR s.id = $1::uuid) counted
      WHERE school.id = counted.id AND school.counts IS DISTINCT FROM counted.counts
      RETURNING school.id`,
    [schoolId ?? null],
  )
  return rows.length
}
