export type { School } from '../../base/school.ts'
