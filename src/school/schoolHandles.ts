export interface InSchool {
  schoolId: string
  now: Date
}
