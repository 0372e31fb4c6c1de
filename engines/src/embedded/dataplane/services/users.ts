import { serviceUser, type ServiceUser } from '../../../host/service-users'

/**
 * Whom the programs of networks become where the server is root; else each is null. None is that of another: who has taken one of
 * them over reaches no socket and no file of the others. `vm`: QEMU, which opens taps.
 */
export type NetworkUsers = Record<(typeof services)[number], ServiceUser | null>

const services = ['vm', 'dns', 'metadata', 'lb', 'vpn'] as const

/** Throws an error for people where a user cannot be made. */
export const networkUsers = async (): Promise<NetworkUsers> =>
  Object.fromEntries(await Promise.all(services.map(async (one) => [one, await serviceUser(one)]))) as NetworkUsers
