/** Whether a course is one that the lecturer `$n` teaches; `$n + 1` says whether it matters. */
export const isOwn = (course: string, n: number): string =>
  `(NOT $${n + 1}::boolean OR ${course} IN (SELECT course_id FROM course_lecturer WHERE school_id = $1::uuid AND lecturer_id = $${n}::uuid))`

/** The two values of `isOwn`. */
export const ownership = (lecturer: { id: string | null } | undefined): [string | null, boolean] => [
  lecturer?.id ?? null,
  lecturer !== undefined,
]
