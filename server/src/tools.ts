import type { Composed } from '@mainstay/engines/ports/engine'
import type { Sql } from '@mainstay/engines/ports/engines'
import type { Ceph } from '@mainstay/engines/ceph/ceph'
import type { Hosts } from '@mainstay/engines/hosts/hosts'
import type { IdentityPort } from '@mainstay/engines/ports/identity'
import type { Log } from '@mainstay/engines/ports/records'
import type pg from 'pg'
import type { Secret } from '@mainstay/engines/ports/secret'
import type { Audit } from './audit/audit'
import type { ServedCertificate } from './certificates/served'
import type { AuditLog } from './audit/find-lines'
import type { Config } from './config'
import type { EngineStates } from './inventory/engine-states'
import type { Inventory } from './inventory/types'
import type { MetricsPipeline } from './metrics/open-metrics-pipeline'
import type { PlatformParts } from './metrics/platform-parts'
import type { Known } from './reports/contents'
import type { Hub } from './realtime/hub'
import type { Scheduler } from './scheduler/types'
import type { Sessions } from './session/types'
import type { Settings } from './settings/settings'
import type { Store } from './store/store'
import type { Tasks } from './tasks/types'

/**
 * Long-lived parts of the areas, by name, as returned by the `open` function of each module. Each module adds its own
 * parts to this interface: `declare module '../../tools' { interface AreaTools { mailer: Mailer } }`. A part that no
 * module opens causes a compile error in `modules.ts`.
 */
export interface AreaTools {}

/** All parts of the server. Tests create them with their own database. */
export interface Tools extends CoreTools, AreaTools {}

/** All parts of the server, except the parts of the areas, which are opened later. */
export interface CoreTools extends Pick<Composed, 'engines' | 'ports' | 'areas' | 'capabilities'> {
  config: Config
  log: Log
  sql: Sql
  /** For work that needs its own connection to the database. */
  connection: pg.ClientConfig
  /** Version and release, as returned by /about; `build` changes with every build. */
  version: { version: string; release: string; build: string }
  inventory: Inventory
  /** Takes a lease that one of all servers can hold; see `takeLease`. */
  lease: Store['lease']
  /** Connects to hosts; null if hosts are not read, as in most tests. */
  hosts: Hosts | null
  /** The attached Ceph cluster; null if there is none. */
  ceph: Ceph | null
  tasks: Tasks
  scheduler: Scheduler
  hub: Hub
  sessions: Sessions
  audit: Audit
  auditLog: AuditLog
  identity: IdentityPort
  settings: Settings
  /** Encrypts values that must not be readable in the database. */
  sealingKey: Secret
  certificate: ServedCertificate
  /** Content for problem reports, and the secrets that they must not contain. */
  reported: Pick<Known, 'recentLog' | 'configuration' | 'secrets'>
  /** How closely the index follows the engines. */
  engineStates: EngineStates
  /** Store and samplers of historical metrics. */
  figures: Pick<MetricsPipeline, 'store' | 'sampling' | 'waiting'>
  /** Speed-up factor for periodic work, for tests. */
  pace: number
  /** Health of each part of the platform. */
  platformParts: PlatformParts
  health: {
    /** Number of unfinished jobs. */
    jobs(): Promise<number>
  }
}
