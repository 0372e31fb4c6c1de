import process from 'node:process'
import { ADMIN_PASSWORD, type ProgramOptions } from '../../server/src/testing/server-program'

/** What a life needs of the place where it is led: how the server is started, who comes, and what they find there. */
export interface Fixture {
  program: Pick<ProgramOptions, 'hypervisor' | 'environment'>
  /** An ordinary user where there are such; `domain` is asked for in the form. */
  person: { name: string; password: string; domain?: string }
  /** Names. */
  network: string
  flavor: string
  largerFlavor: string
  /** Machines are processes of the server's own machine, in its data folder. */
  hasProcesses: boolean
  /** Each machine says whether it is started on another node when its own fails. */
  hasHa: boolean
  close(): Promise<void>
}

/** A new data folder on this machine, with real machines. */
const thisMachine: Fixture = {
  program: { hypervisor: 'qemu' },
  person: { name: 'admin', password: ADMIN_PASSWORD },
  network: 'Default network',
  flavor: 's1.nano',
  largerFlavor: 's1.micro',
  hasProcesses: true,
  hasHa: true,
  close: () => Promise.resolve(),
}

async function onCloud(): Promise<Fixture> {
  const { openTenantFixture } = await import('../../server/src/testing/journeys/tenant-fixture')
  const { environment, ...found } = await openTenantFixture()
  return { ...found, program: { environment }, hasProcesses: false, hasHa: false }
}

/** The cloud that `npm run test:openstack` names, else this machine. */
export const openFixture = (): Promise<Fixture> =>
  process.env['MAINSTAY_ENGINE'] === 'openstack' ? onCloud() : Promise.resolve(thisMachine)
