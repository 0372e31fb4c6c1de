import { module } from '../../module'
import { certificateRoutes } from './certificate.routes'
import { certificateWatch } from './certificate-watch'
import { mailing, sealedMailing } from './mail-job'
import { notificationRoutes } from './notifications.routes'
import { reporting, reportRetention } from './report-jobs'
import { reportRoutes } from './reports.routes'

export const settingsModule = module({
  routes: [notificationRoutes, certificateRoutes, reportRoutes],
  jobs: [mailing, sealedMailing, reporting],
  schedules: [certificateWatch, reportRetention],
})
