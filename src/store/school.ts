export type { School } from '../policy/school.ts'
