import { module } from '../../module'
import { certificateRoutes } from './certificate.routes'
import { certificateWatch } from './certificate-watch'
import { directoryImport, directoryImportPlan } from './ldap-import'
import { featureRoutes } from './features.routes'
import { ldapRoutes } from './ldap.routes'
import { mailing, sealedMailing } from './mail-job'
import { notificationRoutes } from './notifications.routes'
import { reporting, reportRetention, sendingSwitched } from './report-jobs'
import { reportRoutes } from './reports.routes'
import { sessionSettingsRoutes } from './sessions.routes'

export const settingsModule = module({
  routes: [notificationRoutes, certificateRoutes, reportRoutes, ldapRoutes, sessionSettingsRoutes, featureRoutes],
  jobs: [mailing, sealedMailing, reporting, sendingSwitched, directoryImport],
  schedules: [certificateWatch, reportRetention, directoryImportPlan],
})
