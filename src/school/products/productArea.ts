import { defineArea } from '../../engine/declare/area.ts'

export const productArea = defineArea('digital_products', {
  read: {
    learner: 'See digital products, and download your own',
    staff: 'See and download all digital products, and see who has them',
    othersData: ['staff'],
  },
  write: { staff: 'Add, change, publish, archive and delete digital products and their files, and give or withdraw access to them' },
})
