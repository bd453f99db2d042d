import { defineArea } from '../../engine/declare/area.ts'

/** The scope of files and uploads. It includes reading. */
export const storage = defineArea('storage', {
  write: {
    learner: 'Upload files, and see and delete those that you uploaded',
    staff: 'Upload files, and see and delete all files of the school',
  },
})
