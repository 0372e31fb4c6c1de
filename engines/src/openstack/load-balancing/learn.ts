import type { LoadBalancingCapabilities } from '@mainstay/contract/load-balancing/load-balancing-service'
import { lbAlgorithms, poolProtocols } from '@mainstay/contract/load-balancing/forwarding'
import { noCapabilities } from '../../ports/area-ports'
import type { Log } from '../../ports/records'
import type { ServiceClient } from '../client/service-client'
import { keepLearning, type Learning } from '../keep-learning'
import { lbFlavorProfileReader, providersOf } from './flavors/reader'
import { abilitiesOf } from './providers'

/** What the load balancer service of a cloud is known to be able to do. */
export interface BalancerService {
  capabilities: LoadBalancingCapabilities
  /** Why there are no load balancers, for people; null where there are. */
  unavailable: string | null
}

/** Until the cloud has told it is not known to have any. */
export const unknownBalancerService = (): BalancerService => ({
  capabilities: { ...noCapabilities['load-balancing'] },
  unavailable: 'The cloud has not told yet whether it has load balancers',
})

/** Keeps in `service` what only the cloud itself can tell: who carries balancers there, and whether it keeps certificates. */
export function learnBalancing(
  { account, log }: { account: ServiceClient; log: Log },
  service: BalancerService,
): Learning {
  return keepLearning(async () => {
    try {
      if (!(await account.has('load-balancer'))) {
        Object.assign(service.capabilities, noCapabilities['load-balancing'])
        service.unavailable = 'The cloud has no load balancer service'
        return true
      }
      const [names, profiles, keepsKeys] = await Promise.all([
        providersOf(account),
        profilesOf(account),
        account.has('key-manager'),
      ])
      const providers = names.map(({ name }) => {
        const abilities = abilitiesOf(name)
        return { ...abilities, tls_termination: abilities.tls_termination && keepsKeys }
      })
      const some = <One>(list: readonly One[], of: (provider: (typeof providers)[number]) => readonly One[]): One[] =>
        list.filter((one) => providers.some((provider) => of(provider).includes(one)))
      Object.assign(service.capabilities, {
        load_balancers: true,
        high_availability: profiles.some(({ flavor_data }) => flavor_data.loadbalancer_topology === 'ACTIVE_STANDBY'),
        protocols: some(poolProtocols, ({ protocols }) => protocols),
        algorithms: some(lbAlgorithms, ({ algorithms }) => algorithms),
        udp_algorithms: some(lbAlgorithms, ({ algorithms }) => algorithms),
        tls_termination: providers.some(({ tls_termination }) => tls_termination),
        providers,
      } satisfies LoadBalancingCapabilities)
      service.unavailable = null
      return true
    } catch (err) {
      log.debug({ err }, 'the cloud does not tell what its load balancers can do')
      return false
    }
  })
}

async function profilesOf(caller: ServiceClient) {
  const profiles = []
  const domainOf = () => Promise.reject(new Error('profiles are in no domain'))
  for await (const page of lbFlavorProfileReader.all({ caller, domainOf })) profiles.push(...page)
  return profiles
}
