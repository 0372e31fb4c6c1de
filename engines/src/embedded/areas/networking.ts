import { interfaceCommands, interfaceJobs } from '../compute/instances/interfaces'
import type { MachineArea } from './area'
import { adoptNames, adoptPorts } from '../networking/adopt-ports'
import { networkingCommands, networkingJobs } from '../networking/commands'
import { ensureDefaultGroups } from '../networking/default-groups'
import { ensureDefaultNetwork, hasDefaultNetwork } from '../networking/default-network'
import { ensureExternalNetwork, needsExternalNetwork } from '../networking/external-network'
import { followCards } from '../networking/follow-cards'

export const networkingOfMachine: MachineArea<'networking'> = {
  area: 'networking',
  open({ engine, owner }) {
    const { areas, carrier, hypervisor, records } = engine
    return {
      port: { ...networkingCommands(engine), interfaces: interfaceCommands(engine) },
      capabilities: {
        networks: true,
        external_networks: true,
        vlan_networks: true,
        routers: true,
        floating_ips: true,
        security_groups: true,
        spoofing_protection: true,
        published_ports: true,
        reach_probe: hypervisor.kind === 'qemu',
        direct_vnics: false,
      },
      jobs: { ...networkingJobs(engine), ...interfaceJobs(engine) },
      async seed() {
        const isMissing = await records.transaction(
          async (tx) => !(await hasDefaultNetwork(tx)) || needsExternalNetwork(tx),
        )
        if (!isMissing) return async () => undefined
        const owns = await owner()
        return async (tx) => {
          await ensureDefaultNetwork(tx, owns)
          await ensureExternalNetwork(tx, owns)
        }
      },
      async prepare() {
        await ensureDefaultGroups(records)
        await adoptPorts(engine)
        await adoptNames(engine)
        await carrier.open()
      },
      ...(areas.has('compute') && { follow: () => followCards(engine) }),
    }
  },
}
