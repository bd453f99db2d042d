import { defineArea } from '../../engine/declare/area.ts'

export const eventArea = defineArea('events', {
  read: {
    learner: 'See events and your registrations',
    lecturer: 'See events, your registrations, and who takes part in events that you host',
    staff: 'See all events and who takes part in them',
    othersData: ['lecturer', 'staff'],
  },
  write: {
    learner: 'Register you for events and change or cancel your registrations',
    lecturer:
      'Add events; change, publish, cancel and delete those that you host, and their registrations and attendance; register you for events',
    staff: 'Add, change, publish, cancel and delete events, their registrations and attendance',
  },
})
