import { defineArea } from '../framework/declare/area.ts'

/** One scope for files and uploads: there is none for reading alone. */
export const storage = defineArea('storage', { write: 'Upload files, and see and remove what you uploaded' })
