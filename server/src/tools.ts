import type { FeatureId } from '@mainstay/contract/settings/features'
import type { Composed } from '@mainstay/engines/ports/engine'
import type { IdentityPort } from '@mainstay/engines/ports/identity'
import type { Log } from '@mainstay/engines/ports/records'
import type { Secret } from '@mainstay/engines/ports/secret'
import type { Audit } from './audit/audit'
import type { ServedCertificate } from './certificates/served'
import type { AuditLog } from './audit/find-lines'
import type { AboutLink } from '@mainstay/contract/identity/session'
import type { SyslogTarget } from './config'
import type { EngineStates } from './inventory/engine-states'
import type { Federation } from './federation/federation'
import type { Inventory } from './inventory/types'
import type { Mailer } from './mail/mailer'
import type { Figures } from './metrics/open-figures'
import type { PlatformParts } from './metrics/platform-parts'
import type { ImageImports } from './proxies/image-imports/image-imports'
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
  /** Features of the console that are off here. */
  featuresOff: readonly FeatureId[]
  /** Where the About dialog leads to. */
  links: Partial<Record<AboutLink, string>>
  /** Origins of pages elsewhere that may hold forms of the portal in a frame. */
  parentOrigins: readonly string[]
  consoleTickets: ConsoleTickets
  domainProperties: DomainProperties
  handOvers: HandOvers
  federation: Federation
  identity: IdentityPort
  /** Where people reach the self-service panel. */
  selfService: SelfService
  consoleAddresses: ConsoleAddresses
  settings: Settings
  /** Seals what is kept in the database and must not be read out of it. */
  sealingKey: Secret
  mailer: Mailer
  certificate: ServedCertificate
  problemReports: ProblemReports
  imageUploads: ImageUploads
  imageImports: ImageImports
  /** How closely the index follows the engines. */
  engineStates: EngineStates
  /** Figures with history. */
  figures: Pick<Figures, 'store' | 'sampling' | 'waiting'>
  /** Whether operators have dashboards of their own elsewhere. */
  hasDashboards: boolean
  /** What of the platform works. */
  platformParts: PlatformParts
  health: {
    /** Jobs that are not over. */
    jobs(): Promise<number>
  }
}
