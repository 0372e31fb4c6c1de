import { module } from '../../module'
import { certificateRoutes } from './certificate.routes'
import { certificateWatch } from './certificate-watch'
import { mailing } from './mail-job'
import { notificationRoutes } from './notifications.routes'

export const settingsModule = module({
  routes: [notificationRoutes, certificateRoutes],
  jobs: [mailing],
  schedules: [certificateWatch],
})
