import type { Composed } from '@mainstay/engines/ports/engine'
import type { IdentityPort } from '@mainstay/engines/ports/identity'
import type { Log } from '@mainstay/engines/ports/records'
import type { Audit } from './audit/audit'
import type { ServedCertificate } from './certificates/served'
import type { AuditLog } from './audit/find-lines'
import type { SyslogTarget } from './config'
import type { EngineStates } from './inventory/engine-states'
import type { Federation } from './federation/federation'
import type { Inventory } from './inventory/types'
import type { Mailer } from './mail/mailer'
import type { PlatformParts } from './metrics/platform-parts'
import type { ImageUploads } from './proxies/image-uploads'
import type { ProblemReports } from './reports/problem-reports'
import type { Hub } from './realtime/hub'
import type { ConsoleTickets } from './session/console-tickets'
import type { HandOvers } from './session/hand-overs'
import type { Scheduler } from './scheduler/types'
import type { Sessions } from './session/types'
import type { SelfService } from './self-service'
import type { ConsoleAddresses } from './http/console-addresses'
import type { Settings } from './settings/settings'
import type { DomainProperties } from './store/domain-properties'
import type { Tasks } from './tasks/types'

/** What the server's parts are made of. Tests make one with a database of their own. */
export interface Tools extends Pick<Composed, 'engines' | 'ports' | 'areas' | 'capabilities'> {
  log: Log
  /** Version and release, told by /about; `build` changes with every build. */
  version: { version: string; release: string; build: string }
  inventory: Inventory
  tasks: Tasks
  scheduler: Scheduler
  hub: Hub
  sessions: Sessions
  audit: Audit
  auditLog: AuditLog
  /** How long lines of the audit log are kept. */
  auditDays: number
  /** Where its lines are forwarded to; null: nowhere. */
  auditSyslog: SyslogTarget | null
  consoleTickets: ConsoleTickets
  domainProperties: DomainProperties
  handOvers: HandOvers
  federation: Federation
  identity: IdentityPort
  /** Where people reach the self-service panel. */
  selfService: SelfService
  consoleAddresses: ConsoleAddresses
  settings: Settings
  mailer: Mailer
  certificate: ServedCertificate
  problemReports: ProblemReports
  imageUploads: ImageUploads
  /** How closely the index follows the engines. */
  engineStates: EngineStates
  /** What of the platform works. */
  platformParts: PlatformParts
  health: {
    /** Jobs that are not over. */
    jobs(): Promise<number>
  }
}
