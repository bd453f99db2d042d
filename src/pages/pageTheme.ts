import type { SchoolTheme } from '../school/settings/publicAppearance.ts'

export type PageTheme = Pick<SchoolTheme, 'mode' | 'colors' | 'fonts' | 'corner_radius' | 'logo' | 'logo_dark'>
