import { serviceUser, type ServiceUser } from '../../../host/service-users'

/**
 * System users of the network services if the server runs as root, otherwise null. Each service has its own user, so
 * that a compromised service cannot access the sockets or files of another. `vm`: QEMU, which opens taps.
 */
export type NetworkUsers = Record<(typeof services)[number], ServiceUser | null>

const services = ['vm', 'dns', 'metadata', 'lb', 'vpn'] as const

/** Throws an error with a message for users if an account cannot be created. */
export const networkUsers = async (): Promise<NetworkUsers> =>
  Object.fromEntries(await Promise.all(services.map(async (one) => [one, await serviceUser(one)]))) as NetworkUsers
