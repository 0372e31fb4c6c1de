import type { MachineArea } from './area'
import { loadBalancingCapabilities, loadBalancingCommands } from '../load-balancing/commands'
import { ensureBalancerFlavors } from '../load-balancing/flavors'
import { followHealth } from '../load-balancing/follow-health'
import { loadBalancingJobs } from '../load-balancing/jobs'

export const loadBalancingOfMachine: MachineArea<'load-balancing'> = {
  area: 'load-balancing',
  open: ({ engine, hasPairs }) => ({
    port: loadBalancingCommands(engine),
    capabilities: loadBalancingCapabilities(hasPairs),
    jobs: loadBalancingJobs(engine),
    seed: async () => (tx) => ensureBalancerFlavors(tx, hasPairs),
    follow: () => followHealth(engine),
  }),
}
