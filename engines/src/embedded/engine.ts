import type { Area } from '../ports/area-ports'
import type { Seals } from '../ports/engine'
import type { Jobs, Log, Records } from '../ports/records'
import type { Files } from './files'
import type { Hypervisor } from './hypervisor'
import type { Limits } from './limits'
import type { Carrier } from './carrier/carrier'

/** What every part of the embedded engine works with. */
export interface Engine {
  /** What this machine serves. Rows of other areas are those of another engine. */
  areas: ReadonlySet<Area>
  records: Records
  jobs: Jobs
  hypervisor: Hypervisor
  files: Files
  log: Log
  limits: Limits
  /** For what is secret of rows, and has to be read again. */
  seals: Seals
  /** Makes this host so as the rows of networks say. */
  carrier: Carrier
  /** Copies, checks and conversions of a project's disks and images: only a few run at a time, and of one project fewer. */
  withPermit<Result>(projectId: string, work: () => Promise<Result>): Promise<Result>
}
