import type { SchoolLook } from '../domain/school/appearance.ts'

/** What a school decides about the look of its pages. */
export type Look = Pick<SchoolLook, 'mode' | 'colors' | 'corner_radius' | 'logo' | 'logo_dark'>
