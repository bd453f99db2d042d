import type { SchoolTheme } from '../domain/school/appearance.ts'

/** The branding that a school chooses for its pages. */
export type Look = Pick<SchoolTheme, 'mode' | 'colors' | 'corner_radius' | 'logo' | 'logo_dark'>
