import type { Jobs, Log, Records } from '../ports/records'
import type { Files } from './files'
import type { Hypervisor } from './hypervisor'
import type { Limits } from './limits'

/** What every part of the embedded engine works with. */
export interface Engine {
  records: Records
  jobs: Jobs
  hypervisor: Hypervisor
  files: Files
  log: Log
  limits: Limits
  /** Copies and conversions of disks: all of them at once would take longer than one after the other. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>
}
