/** The school of a change, and its time. */
export interface InSchool {
  schoolId: string
  now: Date
}
