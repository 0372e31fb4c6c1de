import type { LoadBalancingCapabilities } from '@mainstay/contract/load-balancing/load-balancing-service'
import { lbAlgorithms, poolProtocols } from '@mainstay/contract/load-balancing/forwarding'
import { noCapabilities } from '../../ports/area-ports'
import type { Log } from '../../ports/records'
import type { ServiceClient } from '../client/service-client'
import { keepLearning, type Learning } from '../keep-learning'
import { lbFlavorProfileReader, providersOf } from './flavors/reader'
import { abilitiesOf } from './providers'

/** Known capabilities of the cloud's load balancing service. */
export interface BalancerService {
  capabilities: LoadBalancingCapabilities
  /** Why load balancers are unavailable, shown to users. Null if they are available. */
  unavailable: string | null
}

/** Returns the state without capabilities, used until the cloud has been queried. */
export const unknownBalancerService = (): BalancerService => ({
  capabilities: { ...noCapabilities['load-balancing'] },
  unavailable: 'It is not yet known whether the cloud supports load balancers',
})

/** Keeps `service` up to date with values from the cloud: its providers, and whether it has a key manager. */
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
      log.debug({ err }, 'the cloud does not report the capabilities of its load balancers')
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
