import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { openEmbeddedCompute } from './embedded/embedded'
import type { FirstStart } from './embedded/identity/first-start'
import { openEmbeddedIdentity } from './embedded/identity/identity'
import type { PasswordCost } from './embedded/identity/passwords'
import type { Sql } from './embedded/identity/sql'
import { openQemu } from './embedded/qemu/qemu'
import type { Delays } from './embedded/simulated/options'
import { openSimulated } from './embedded/simulated/simulated'
import type { ComputeMissing, ComputePort } from './ports/compute'
import type { IdentityPort } from './ports/identity'
import type { Jobs, Log, Records } from './ports/records'

/** What the server lends to its engines, and what was chosen of them. */
export interface ComposeOptions {
  sql: Sql
  records: Records
  jobs: Jobs
  log: Log
  hypervisor: 'qemu' | 'simulated'
  world: 'empty' | 'demo' | 'busy' | 'degraded'
  /** Where the engines keep their files. */
  folder: string
  /** For the first administrator; generated where null. */
  adminPassword: string | null
  /** Cheaper passwords for tests. */
  passwordCost?: PasswordCost
  /** Quicker machines for tests; of the simulated hypervisor only. */
  delays?: Partial<Delays>
}

export interface Engines {
  identity: IdentityPort
  /** What the very first start made; null at every later one. */
  firstStart: FirstStart | null
  compute: ComputePort | ComputeMissing
}

/** The engines of this installation, not yet watching. Throws errors for people where the choice cannot be fulfilled. */
export async function composeEngines(options: ComposeOptions): Promise<Engines> {
  const { sql, adminPassword, passwordCost } = options
  const { identity, firstStart } = await openEmbeddedIdentity({
    sql,
    adminPassword,
    ...(passwordCost && { cost: passwordCost }),
  })
  return { identity, firstStart, compute: await openCompute(options, identity) }
}

async function openCompute(options: ComposeOptions, identity: IdentityPort): Promise<ComputePort | ComputeMissing> {
  const { records, jobs, log, folder } = options
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const hypervisor =
    options.hypervisor === 'simulated'
      ? openSimulated({ folder: path.join(folder, 'simulated'), delays: options.delays ?? {} })
      : await openQemu({ folder, log })
  if ('missing' in hypervisor) return { missing: true, advice: hypervisor.advice }
  const owner = { project_id: await identity.adminProjectId(), domain_id: 'default' }
  return openEmbeddedCompute({ records, jobs, hypervisor, folder, log, owner })
}
