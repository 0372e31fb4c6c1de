import { createMailer, type Mailer } from '../../mail/mailer'
import { module } from '../../module'
import { createProblemReports, type ProblemReports } from '../../reports/problem-reports'
import { createTrapSender, type TrapSender } from '../../snmp/trap-sender'
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
import { snmpRoutes } from './snmp.routes'
import { trapping } from './trap-job'

declare module '../../tools' {
  interface AreaTools {
    mailer: Mailer
    traps: TrapSender
    problemReports: ProblemReports
  }
}

export const settingsModule = module({
  routes: [
    notificationRoutes,
    snmpRoutes,
    certificateRoutes,
    reportRoutes,
    ldapRoutes,
    sessionSettingsRoutes,
    featureRoutes,
  ],
  jobs: [mailing, sealedMailing, trapping, reporting, sendingSwitched, directoryImport],
  schedules: [certificateWatch, reportRetention, directoryImportPlan],
  open: ({ sql, settings, inventory, log, sealingKey, version, platformParts, engineStates, reported }) => ({
    tools: {
      mailer: createMailer({ settings, inventory, log, key: sealingKey }),
      traps: createTrapSender({ settings, log }),
      problemReports: createProblemReports({
        ...reported,
        ...{ sql, inventory, settings, version, platformParts, engineStates },
      }),
    },
  }),
})
