import { fieldProblem, problem } from '@mainstay/contract/core/problems'
import type { Port } from '@mainstay/contract/networking/ports'
import type { NetworkingPort } from '../../ports/networking'
import type { JobHandler } from '../../ports/records'
import { getOwn } from '../access'
import type { Engine } from '../engine'
import { quotaLimits, quotasOf } from '../quotas'
import { floatingIpCommands } from './floating-ips'
import { networkCommands, networkJobs } from './networks'
import { portCommands } from './port-commands'
import { routerCommands, routerJobs } from './routers'
import { requireNetworks } from './rows'
import { securityGroupCommands, securityGroupRuleCommands } from './security-groups'
import { subnetCommands } from './subnets'

/** Sends test packets from one of the caller's ports. Operators may also send them from outside. */
const probeOf =
  (engine: Engine): NetworkingPort['probe'] =>
  async (scope, { source, destination, protocol, port }) => {
    requireNetworks(engine)
    const own = async (id: string, field: string) => {
      const found = await engine.records
        .transaction((tx) => getOwn<Port>(tx, 'port', scope, id))
        .catch(() => Promise.reject(fieldProblem(field, 'networking.no_such_port')))
      return { portId: found.id }
    }
    if ('address' in source && scope.kind !== 'system') throw fieldProblem('source', 'networking.probe_needs_port')
    const from = 'address' in source ? 'outside' : await own(source.port_id, 'source.port_id')
    const to = 'address' in destination ? destination : await own(destination.port_id, 'destination.port_id')
    const isIpv6 = 'address' in to && to.address.includes(':')
    const answer = await engine.carrier.check({
      from,
      to,
      protocol: protocol === 'icmp' && isIpv6 ? 'icmpv6' : protocol,
      port,
    })
    if (answer.fault !== null) throw problem('networking.probe_failed', { reason: answer.fault })
    const outcome = answer.answered ? 'answered' : answer.delivered ? 'refused' : 'silent'
    return { outcome, milliseconds: answer.delivered ? Math.round(answer.tookMs) : null }
  }

/** Returns all networking commands except those for network interfaces of instances, which belong to compute. */
export const networkingCommands = (engine: Engine): Omit<NetworkingPort, 'interfaces'> => ({
  networks: networkCommands(engine),
  subnets: subnetCommands(engine),
  ports: portCommands(engine),
  routers: routerCommands(engine),
  floatingIps: floatingIpCommands(engine),
  securityGroups: securityGroupCommands(engine),
  securityGroupRules: securityGroupRuleCommands(engine),
  probe: probeOf(engine),
  host: () => engine.carrier.host(),
  unavailable: () => engine.carrier.unavailable(),
  quotas: (scope, projectId) => quotasOf(engine, 'networking', scope, projectId),
  quotaLimits: quotaLimits(engine),
})

export const networkingJobs = (engine: Engine): Record<string, JobHandler> => ({
  ...networkJobs(engine),
  ...routerJobs(engine),
})
