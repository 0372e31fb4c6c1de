import process from 'node:process'
import { ADMIN_PASSWORD, type ProgramOptions } from '../../server/src/testing/server-program'

/** The environment for a journey: how to start the server, the user who signs in, and the existing resources. */
export interface Fixture {
  program: Pick<ProgramOptions, 'hypervisor' | 'environment'>
  /**
   * An ordinary user if the environment has one. `domain` is the value for the sign-in form, if the form asks for one.
   */
  person: { name: string; password: string; domain?: string }
  /** Name of the network. The flavors are also identified by name. */
  network: string
  flavor: string
  largerFlavor: string
  /** Instances run as processes on this host, in the server's data folder. */
  hasProcesses: boolean
  /** Instances support the high availability setting. */
  hasHa: boolean
  close(): Promise<void>
}

/** A new data folder on this host, with real instances. */
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

/** Opens the fixture on the cloud under test in `npm run test:openstack`, otherwise on this host. */
export const openFixture = (): Promise<Fixture> =>
  process.env['MAINSTAY_ENGINE'] === 'openstack' ? onCloud() : Promise.resolve(thisMachine)
