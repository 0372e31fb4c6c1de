import { module } from '../../module'
import { certificateRoutes } from './certificate.routes'
import { certificateWatch } from './certificate-watch'
import { directoryImport, directoryImportPlan } from './ldap-import'
import { ldapRoutes } from './ldap.routes'
import { mailing, sealedMailing } from './mail-job'
import { notificationRoutes } from './notifications.routes'
import { reporting, reportRetention } from './report-jobs'
import { reportRoutes } from './reports.routes'

export const settingsModule = module({
  routes: [notificationRoutes, certificateRoutes, reportRoutes, ldapRoutes],
  jobs: [mailing, sealedMailing, reporting, directoryImport],
  schedules: [certificateWatch, reportRetention, directoryImportPlan],
})
