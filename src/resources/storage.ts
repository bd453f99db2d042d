import { defineArea } from '../framework/declare/area.ts'

/** The scope of files and uploads. It includes reading. */
export const storage = defineArea('storage', { write: 'Upload files, and see, change and delete the files that you uploaded' })
