import type { SchoolTheme } from '../domain/school/appearance.ts'

/** The theme that a school chooses for its pages. */
export type PageTheme = Pick<SchoolTheme, 'mode' | 'colors' | 'corner_radius' | 'logo' | 'logo_dark'>
